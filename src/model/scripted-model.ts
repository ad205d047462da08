// A model that plays a script: for demonstrations, for trying a set-up without cost, and for tests.
import { CausewayError } from '../domain/errors.ts';
import { SCRIPTED_MODEL } from '../domain/scripted.ts';
import type { Model, ModelRequest, ModelTurn } from '../ports/model.ts';
import type { Script } from './script.ts';
import { estimateTokens } from './usage.ts';

/**
 * Plays the turn whose number is that of the assistant's messages so far, so that a run that is resumed goes on at the right one. Past the
 * end of the script: `model_misbehaved`. Usage is counted in characters; cached is the prefix shared with the request before.
 */
export function createScriptedModel(script: Script, name = SCRIPTED_MODEL): Model {
  let previous = '';
  return {
    name,
    prices: null,
    ask: async (request, signal) => {
      signal.throwIfAborted();
      const prompt = JSON.stringify(request.tools) + JSON.stringify(request.messages);
      const shared = sharedPrefix(previous, prompt);
      previous = prompt;
      return play(script, request, { prompt: prompt.length, shared });
    },
  };
}

function play(
  script: Script,
  request: ModelRequest,
  characters: { readonly prompt: number; readonly shared: number },
): ModelTurn {
  const position = request.messages.filter((message) => message.role === 'assistant').length;
  const turn = script.turns[position];
  if (turn === undefined) {
    const length = `${script.turns.length} turn${script.turns.length === 1 ? '' : 's'}`;
    throw new CausewayError(
      'model_misbehaved',
      `The script of MODEL=scripted:FILE has ended after ${length}: add one.`,
    );
  }
  return {
    content: turn.content,
    toolCalls: turn.calls.map((call, index) => ({ id: `call_${position}_${index}`, ...call })),
    usage: {
      promptTokens: estimateTokens(characters.prompt),
      cachedTokens: estimateTokens(characters.shared),
      completionTokens: estimateTokens(turn.content.length + JSON.stringify(turn.calls).length),
      estimated: true,
    },
  };
}

function sharedPrefix(before: string, now: string): number {
  const longest = Math.min(before.length, now.length);
  let length = 0;
  while (length < longest && before.charCodeAt(length) === now.charCodeAt(length)) length += 1;
  return length;
}
