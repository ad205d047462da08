// A model that plays a script: for demonstrations, for trying a set-up without cost, and for tests.
// The file: `{"turns": [{"content", "tool_calls": [{"name", "arguments"}]}]}`. A citation's `"step": "call_0_2"` means
// the step that the third call
// of the first turn made: how many steps come before it depends on the report. `second_look`: turns of a second look.
import { CausewayError } from '../core/errors.ts';
import { type Model, type ModelRequest, type ModelTurn, SCRIPTED_MODEL } from '../core/model.ts';
import { JUDGE } from '../core/second-look.ts';
import { isObject } from './json.ts';
import { estimateTokens } from './usage.ts';

export interface Script {
  readonly turns: readonly ScriptedTurn[];
  readonly secondLook?: readonly ScriptedTurn[];
}

interface ScriptedTurn {
  readonly content: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

/**
 * Reads a script. `arguments` is an object, or a text that is passed on unchanged. Throws `usage`, naming the place of
 * the fault.
 */
export function readScript(text: string): Script {
  const script = parse(text);
  if (!isObject(script) || !Array.isArray(script['turns'])) throw createFault('the file', 'must be {"turns": [...]}');
  const readTurns = (turns: readonly unknown[], name: string) =>
    turns.map((turn, position) => readTurn(turn, `${name}[${position}]`));
  const look = script['second_look'] ?? [];
  if (!Array.isArray(look)) throw createFault('second_look', 'must be a list');
  return { turns: readTurns(script['turns'], 'turns'), secondLook: readTurns(look, 'second_look') };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw createFault('the file', `is not JSON (${error instanceof Error ? error.message : 'unreadable'})`);
  }
}

function readTurn(turn: unknown, place: string): ScriptedTurn {
  if (!isObject(turn)) throw createFault(place, 'must be an object');
  const content = turn['content'] ?? '';
  if (typeof content !== 'string') throw createFault(`${place}.content`, 'must be a text');
  const calls = turn['tool_calls'] ?? [];
  if (!Array.isArray(calls)) throw createFault(`${place}.tool_calls`, 'must be a list');
  if (content === '' && calls.length === 0) throw createFault(place, 'needs content or tool_calls');
  return { content, calls: calls.map((call, position) => readCall(call, `${place}.tool_calls[${position}]`)) };
}

function readCall(call: unknown, place: string): ScriptedTurn['calls'][number] {
  if (!isObject(call)) throw createFault(place, 'must be an object');
  const name = call['name'];
  if (typeof name !== 'string' || name === '') throw createFault(`${place}.name`, 'must be the name of a tool');
  const given = call['arguments'] ?? {};
  if (typeof given === 'string') return { name, arguments: given };
  if (!isObject(given)) throw createFault(`${place}.arguments`, 'must be an object or a text');
  return { name, arguments: JSON.stringify(given) };
}

function createFault(place: string, what: string): CausewayError {
  return new CausewayError('usage', `The script of MODEL=scripted:FILE is wrong: ${place} ${what}.`);
}

/**
 * Plays the turn whose number is that of the assistant's messages so far, so that a run that is resumed goes on at
 * the right one. Past the end of the script: `model_misbehaved`. Usage is counted in characters; cached is the prefix
 * shared with the request before.
 */
export function createScriptedModel(script: Script, name = SCRIPTED_MODEL): Model {
  let previous = '';
  return {
    name,
    prices: null,
    ask: async (request, signal) => {
      signal.throwIfAborted();
      const prompt = JSON.stringify(request.tools) + JSON.stringify(request.messages);
      const shared = countSharedPrefix(previous, prompt);
      previous = prompt;
      return playTurn(script, request, { prompt: prompt.length, shared });
    },
  };
}

function playTurn(
  script: Script,
  request: ModelRequest,
  characters: { readonly prompt: number; readonly shared: number },
): ModelTurn {
  const position = request.messages.filter((message) => message.role === 'assistant').length;
  const isSecondLook = request.tools.some(({ name }) => name === JUDGE);
  const turns = isSecondLook ? (script.secondLook ?? []) : script.turns;
  const turn = turns[position];
  if (turn === undefined) {
    const length = `${turns.length} turn${turns.length === 1 ? '' : 's'}${isSecondLook ? ' of its second look' : ''}`;
    throw new CausewayError(
      'model_misbehaved',
      `The script of MODEL=scripted:FILE has ended after ${length}: add one.`,
    );
  }
  return {
    content: turn.content,
    toolCalls: turn.calls.map((call, index) => ({
      ...{ id: `call_${position}_${index}`, name: call.name },
      arguments: citeSteps(call.arguments, request),
    })),
    usage: {
      promptTokens: estimateTokens(characters.prompt),
      cachedTokens: estimateTokens(characters.shared),
      completionTokens: estimateTokens(turn.content.length + JSON.stringify(turn.calls).length),
      estimated: true,
    },
  };
}

/** Puts the number of a step, as the answer to the call states it, in place of the call's id. */
function citeSteps(written: string, { messages }: ModelRequest): string {
  return written.replace(/"step":"(call_\d+_\d+)"/g, (whole, id: string) => {
    const answer = messages.find((message) => message.role === 'tool' && message.callId === id);
    const [, step] = /^\[step (\d+)\]/.exec(answer?.content ?? '') ?? [];
    return step === undefined ? whole : `"step":${step}`;
  });
}

function countSharedPrefix(before: string, now: string): number {
  const longest = Math.min(before.length, now.length);
  let length = 0;
  while (length < longest && before.charCodeAt(length) === now.charCodeAt(length)) length += 1;
  return length;
}
