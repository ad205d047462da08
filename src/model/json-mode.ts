// Tools for models that cannot call them: described in the system text, called in an answer that is one JSON object.
import type { ModelRequest, ToolCall, ToolDescription } from '../ports/model.ts';
import { misbehaved } from './fault.ts';
import { isObject, type JsonObject, parseObject } from './json-value.ts';
import type { Answer } from './read-answer.ts';

export const NO_MORE_CALLS = 'Tools may not be called any more: answer with {"tool_calls":[],"content":"…"}.';

/** Stands behind the system text; the same bytes for the same tools. */
export function describeTools(tools: readonly ToolDescription[]): string {
  const list = tools.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters }));
  return [
    'Answer with one JSON object and nothing else: {"tool_calls":[{"name":"…","arguments":{…}}],"content":"…"}.',
    'tool_calls are the tools to call now, none or several; content is what you have to say. The tools, with the JSON Schema of their arguments:',
    ...list,
  ].join('\n');
}

/** An earlier turn of the model, as it would have written it. */
export function asJsonAnswer(content: string, calls: readonly ToolCall[]): string {
  const written = calls.map((call) => ({ name: call.name, arguments: parseObject(call.arguments) ?? call.arguments }));
  return JSON.stringify({ tool_calls: written, content });
}

/** The turn that a JSON answer means. Throws `AttemptFailed` where it is JSON but not such an answer, or broken JSON. */
export function readJsonAnswer(text: string, request: ModelRequest): Answer {
  const object = findObject(text);
  const isJson = /^\s*(?:```\w*\s*)?[{[]/.test(text);
  if (object === null && isJson) throw misbehaved('It answered with invalid JSON: choose another MODEL.');
  if (object === null) return { content: text, calls: [] };
  if ('tool_calls' in object || 'content' in object) return readFullAnswer(object);
  if ('name' in object && 'arguments' in object) return { content: '', calls: [readCall(object)] };
  if (request.toolChoice === 'none' || !isJson) return { content: text, calls: [] };
  throw misbehaved('It answered with JSON of another shape than asked for: choose another MODEL.');
}

function readFullAnswer(object: JsonObject): Answer {
  const calls = object['tool_calls'] ?? [];
  const given = object['content'] ?? '';
  if (!Array.isArray(calls)) throw misbehaved('Its tool_calls are not a list: choose another MODEL.');
  const content = typeof given === 'string' ? given : JSON.stringify(given);
  if (content.trim() === '' && calls.length === 0) throw misbehaved('It answered with nothing: choose another MODEL.');
  return { content, calls: calls.map(readCall) };
}

/** Calls that a model wrote as text although it was offered real ones; null where the text is not just that. */
export function readWrittenCalls(text: string, tools: readonly ToolDescription[]): Answer | null {
  const tagged = taggedParts(text).map(findObject);
  const whole = /^\s*(?:```(?:json)?\s*)?\{[\s\S]*\}\s*(?:```\s*)?$/.test(text) ? findObject(text) : null;
  const listed: unknown = whole?.['tool_calls'];
  const objects: readonly unknown[] = tagged.length > 0 ? tagged : Array.isArray(listed) ? listed : [whole];
  const offered = new Set<unknown>(tools.map(({ name }) => name));
  const calls = objects.filter((object) => isObject(object) && offered.has(object['name']) && 'arguments' in object);
  if (calls.length === 0 || calls.length < objects.length) return null;
  const content = whole?.['content'];
  return { content: typeof content === 'string' ? content : '', calls: calls.map(readCall) };
}

function readCall(value: unknown): ToolCall {
  const name = isObject(value) ? value['name'] : null;
  if (!isObject(value) || typeof name !== 'string' || name === '') {
    throw misbehaved('It called a tool without a name: choose another MODEL.');
  }
  const given = value['arguments'] ?? {};
  return { id: '', name, arguments: typeof given === 'string' ? given : JSON.stringify(given) };
}

/** The object in `text`: bare, in a fence, between words, or with commas before closing brackets. */
function findObject(text: string): JsonObject | null {
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  if (from < 0 || to < from) return null;
  const body = text.slice(from, to + 1);
  return parseObject(body) ?? parseObject(withoutTrailingCommas(body));
}

/** What each pair of tags encloses. Not by an expression: it would search from each tag to the end of the text. */
function taggedParts(text: string): readonly string[] {
  const [open, close] = ['<tool_call>', '</tool_call>'];
  const parts: string[] = [];
  for (let from = text.indexOf(open); from >= 0; ) {
    const to = text.indexOf(close, from);
    if (to < 0) break;
    parts.push(text.slice(from + open.length, to));
    from = text.indexOf(open, to);
  }
  return parts;
}

/**
 * Strings are matched first, so that commas in them stay. A string that is not closed is matched as well: else the text would be
 * searched to its end from each quotation mark.
 */
function withoutTrailingCommas(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*"?)|,(?=\s*[}\]])/gs, (_, string: string | undefined) => string ?? '');
}
