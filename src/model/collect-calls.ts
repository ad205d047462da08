// Tool calls put together from the pieces of a stream, in whatever way the endpoint cuts and numbers them.
import { misbehaved } from './fault.ts';
import { isObject, type JsonObject } from './json-value.ts';

export interface CallDraft {
  readonly index: number | null;
  readonly id: string | null;
  name: string;
  arguments: string;
}

/** Adds one element of `delta.tool_calls`; throws where it is of a wrong type. */
export function addCallPiece(calls: CallDraft[], piece: unknown): void {
  if (!isObject(piece)) throw wrongCall();
  const body = piece['function'] ?? {};
  if (!isObject(body)) throw wrongCall();
  const call = callFor(calls, piece, body);
  const name = textOf(body['name']);
  // Some endpoints say the name once, some in pieces, some whole with every piece.
  if (name !== call.name) call.name += name;
  call.arguments += argumentsOf(body['arguments']);
}

function callFor(calls: CallDraft[], piece: JsonObject, body: JsonObject): CallDraft {
  const index = typeof piece['index'] === 'number' ? piece['index'] : null;
  const id = textOf(piece['id']) || null;
  const open = calls.findLast((call) => belongsTo(call, { index, id, isNamed: textOf(body['name']) !== '' }));
  if (open !== undefined) return open;
  const call: CallDraft = { index, id, name: '', arguments: '' };
  calls.push(call);
  return call;
}

/**
 * Same number and no other id (some number every call 0); without numbers the same id; without both it is the last call, unless a name
 * begins a new one.
 */
function belongsTo(
  call: CallDraft,
  piece: { readonly index: number | null; readonly id: string | null; readonly isNamed: boolean },
): boolean {
  const sameId = piece.id === null || call.id === null || piece.id === call.id;
  if (piece.index !== null) return piece.index === call.index && sameId;
  return piece.id === null ? !piece.isNamed : piece.id === call.id && call.index === null;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw wrongCall();
  return value;
}

/** Text by the book; some endpoints give the object itself. */
function argumentsOf(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : textOf(value);
}

function wrongCall(): Error {
  return misbehaved('It answered with a tool call of a wrong shape: choose another MODEL.');
}
