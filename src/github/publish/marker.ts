// How we know our own texts on GitHub again: a hidden line in each, and what it was when we wrote it.
import { createHash } from 'node:crypto';

/**
 * `facts`, `result`: the comment on the subject. `suggestions`: the review there. `pull-request`: the body of our own. `hand-over`: the
 * last comment there.
 */
export type MarkerKind = 'facts' | 'result' | 'suggestions' | 'pull-request' | 'hand-over';

export interface Marker {
  readonly threadId: string;
  readonly investigationId: string;
  readonly kind: MarkerKind;
}

const MARKER =
  /^<!-- causeway thread=(thr_[0-9A-Za-z]{1,40}) investigation=(inv_[0-9A-Za-z]{1,40}) kind=(facts|result|suggestions|pull-request|hand-over) -->$/;
const SEAL = /\n?<!-- causeway seal=([0-9a-f]{16}) -->\s*$/;

export function markerText({ threadId, investigationId, kind }: Marker): string {
  return `<!-- causeway thread=${threadId} investigation=${investigationId} kind=${kind} -->`;
}

/**
 * Of the last line, where ours stands; null where that is another one, such as what a person wrote below. That it is a text of our own
 * must be known otherwise: anybody can quote it.
 */
export function markerIn(text: string): Marker | null {
  const [, threadId, investigationId, kind] = MARKER.exec(lastLine(text)) ?? [];
  if (threadId === undefined || investigationId === undefined || kind === undefined) return null;
  return { threadId, investigationId, kind: kind as MarkerKind };
}

/** Names a text: equal texts have equal digests. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The text with a last line that names what it was, so that we see where a person has put a hand to it. */
export function sealed(text: string): string {
  return `${text}\n<!-- causeway seal=${digestOf(plain(text))} -->`;
}

/** Whether nobody but us has written the text; GitHub's own ways with line ends and white space do not count. */
export function isAsSealed(text: string): boolean {
  const seal = SEAL.exec(plain(text))?.[1];
  return seal !== undefined && seal === digestOf(plain(plain(text).replace(SEAL, '')));
}

/** But for a seal. */
function lastLine(text: string): string {
  return plain(plain(text).replace(SEAL, '')).split('\n').at(-1) ?? '';
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd();
}
