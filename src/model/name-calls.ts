// Calls as the conversation can keep them: ids that are there once, names that every endpoint takes back.
import type { ModelRequest, ToolCall } from '../ports/model.ts';

/** What the API takes as a name; an answer of ours that repeats another one would be rejected with the whole request. */
const NOT_IN_NAMES = /[^a-zA-Z0-9_-]/g;
const LONGEST_NAME = 64;
/** OpenAI takes no longer ones back. */
const LONGEST_ID = 40;

/** Missing and repeated ids are replaced; names that are not offered stay, for the agent to answer, but well-formed. */
export function nameCalls(calls: readonly ToolCall[], request: ModelRequest): ToolCall[] {
  const offered = new Set(request.tools.map((tool) => tool.name));
  const taken = new Set(
    request.messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [])),
  );
  return calls.map((call, position) => {
    const isFresh = call.id !== '' && call.id.length <= LONGEST_ID && !taken.has(call.id);
    const id = isFresh ? call.id : freshId(`call_${request.messages.length}_${position}`, taken);
    taken.add(id);
    return { id, name: wellFormed(call.name, offered), arguments: call.arguments };
  });
}

function freshId(wanted: string, taken: ReadonlySet<string>): string {
  return taken.has(wanted) ? freshId(`${wanted}_`, taken) : wanted;
}

function wellFormed(name: string, offered: ReadonlySet<string>): string {
  if (offered.has(name)) return name;
  // Models of the gpt-oss family put a namespace before and a channel behind it.
  const bare = name
    .replace(/^functions\./, '')
    .replace(/<\|.*$/s, '')
    .trim();
  return bare.replaceAll(NOT_IN_NAMES, '_').slice(0, LONGEST_NAME) || 'unnamed';
}
