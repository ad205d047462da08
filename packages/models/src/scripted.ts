// A model that plays a script: for demonstrations, for trying a set-up without cost, and for tests.
// The file: `{"turns": [{"content", "tool_calls": [{"name", "arguments"}]}]}` answers every report. `{"answers": [{"to":
// ["text", …], "turns"}]}` answers those reports that contain all the texts, in any case; the first answer that fits is
// played. `second_look`: turns of a second conversation, in which another reads the answer to the first.

import { isObject } from './json.ts';
import { type Model, ModelFailure, ModelFileFault, type ModelRequest, type ModelTurn } from './model.ts';
import { estimateTokensOfCharacters } from './usage.ts';

export interface Script {
  readonly answers: readonly ScriptedAnswer[];
}

interface ScriptedAnswer {
  /** Texts that the report must contain, in lower case; none: any report. */
  readonly to: readonly string[];
  readonly turns: readonly ScriptedTurn[];
  readonly secondLook: readonly ScriptedTurn[];
}

interface ScriptedTurn {
  readonly content: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

/**
 * Reads a script. `arguments` is an object, or a text that is passed on unchanged. Throws `ModelFileFault`, which names the
 * place of the fault.
 */
export function readScript(text: string): Script {
  const script = parseScript(text);
  if (!isObject(script)) throw createFault('the file', FORMS);
  const { answers } = script;
  if (answers === undefined) return { answers: [readScriptedAnswer(script, { to: [], place: '' })] };
  if (!Array.isArray(answers)) throw createFault('the file', FORMS);
  return {
    answers: answers.map((answer, position) => {
      const place = `answers[${position}]`;
      if (!isObject(answer)) throw createFault(place, 'must be an object');
      const { to } = answer;
      if (!isListOfTexts(to)) throw createFault(`${place}.to`, 'must be a list of texts');
      return readScriptedAnswer(answer, { to: to.map((each) => each.toLowerCase()), place: `${place}.` });
    }),
  };
}

const FORMS = 'must be {"turns": [...]} or {"answers": [...]}';

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function readScriptedAnswer(
  answer: Readonly<Record<string, unknown>>,
  { to, place }: { readonly to: readonly string[]; readonly place: string },
): ScriptedAnswer {
  const { turns, second_look: look = [] } = answer;
  if (!Array.isArray(turns)) {
    throw place === '' ? createFault('the file', FORMS) : createFault(`${place}turns`, 'must be a list');
  }
  if (!Array.isArray(look)) throw createFault(`${place}second_look`, 'must be a list');
  const readTurns = (list: readonly unknown[], name: string) =>
    list.map((turn, position) => readTurn(turn, `${place}${name}[${position}]`));
  return { to, turns: readTurns(turns, 'turns'), secondLook: readTurns(look, 'second_look') };
}

function parseScript(text: string): unknown {
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

function createFault(place: string, what: string): ModelFileFault {
  return new ModelFileFault('script_invalid', `${place} ${what}`);
}

export interface ScriptedModelOptions {
  readonly name: string;
  /** The tool whose offer tells a second conversation from the first. */
  readonly secondLookTool?: string;
  /** Completes a call's arguments with what only the conversation knows; absent: they stay as they are written. */
  readonly complete?: (written: string, request: ModelRequest) => string;
}

/**
 * Plays the turn whose number is that of the assistant's messages so far, so that a run that is resumed goes on at
 * the right one. Past the end of the script, or without an answer to the report: `model_script_ended`. Costs nothing;
 * usage is counted in characters, and cached is the prefix shared with the request before.
 */
export function createScriptedModel(script: Script, options: ScriptedModelOptions): Model {
  let previous = '';
  return {
    name: options.name,
    prices: { prompt: 0, cached: 0, completion: 0 },
    ask: async (request, signal) => {
      signal.throwIfAborted();
      const prompt = JSON.stringify(request.tools) + JSON.stringify(request.messages);
      const shared = countSharedPrefix(previous, prompt);
      previous = prompt;
      return playTurn({ ...options, script, request }, { prompt: prompt.length, shared });
    },
  };
}

interface Playing extends ScriptedModelOptions {
  readonly script: Script;
  readonly request: ModelRequest;
}

function playTurn(
  { script, request, secondLookTool, complete }: Playing,
  characters: { readonly prompt: number; readonly shared: number },
): ModelTurn {
  const position = request.messages.filter((message) => message.role === 'assistant').length;
  const answer = findScriptedAnswer(script, request);
  const isSecondLook = request.tools.some(({ name }) => name === secondLookTool);
  const turns = isSecondLook ? answer.secondLook : answer.turns;
  const turn = turns[position];
  if (turn === undefined) {
    const length = `${turns.length} turn${turns.length === 1 ? '' : 's'}${isSecondLook ? ' of its second look' : ''}`;
    throw createEnd(`has ended after ${length}: add one`);
  }
  return {
    content: turn.content,
    toolCalls: turn.calls.map((call, index) => ({
      id: `call_${position}_${index}`,
      name: call.name,
      arguments: complete?.(call.arguments, request) ?? call.arguments,
    })),
    usage: {
      promptTokens: estimateTokensOfCharacters(characters.prompt),
      cachedTokens: estimateTokensOfCharacters(characters.shared),
      completionTokens: estimateTokensOfCharacters(turn.content.length + JSON.stringify(turn.calls).length),
      estimated: true,
    },
  };
}

/** By the first message of the conversation, which has the report; later ones have what tools found. */
function findScriptedAnswer({ answers }: Script, { messages }: ModelRequest): ScriptedAnswer {
  const report = messages.find(({ role }) => role === 'user')?.content.toLowerCase() ?? '';
  const found = answers.find(({ to }) => to.every((text) => report.includes(text)));
  if (found === undefined) throw createEnd('has no answer to this report: add one to its "answers"');
  return found;
}

function createEnd(what: string): ModelFailure {
  return new ModelFailure('model_script_ended', `The script ${what}.`);
}

function countSharedPrefix(before: string, now: string): number {
  const longest = Math.min(before.length, now.length);
  let length = 0;
  while (length < longest && before.charCodeAt(length) === now.charCodeAt(length)) length += 1;
  return length;
}
