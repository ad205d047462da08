// How we find our own texts on GitHub again: a hidden marker in their last line, and a seal that shows whether people have edited them.
import { createHash } from 'node:crypto';

/**
 * `facts`, `result`: the comment on the subject. `suggestions`: the review there. `pull-request`: the body of our own. `hand-over`: the last
 * comment there.
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

const KNOWN_MARKER = /^<!-- causeway known=(kno_[0-9A-Za-z]{1,40}) -->$/;

/** Of our comment on an issue that people tied failures to. */
export function knownMarkerText(knownId: string): string {
  return `<!-- causeway known=${knownId} -->`;
}

/** Its id, or null. */
export function readKnownMarker(text: string): string | null {
  return KNOWN_MARKER.exec(normalise(text).split('\n').at(-1) ?? '')?.[1] ?? null;
}

/** The marker of the last line, or null. Anybody can quote one: that the text is ours has to be known from its author. */
export function readMarker(text: string): Marker | null {
  const last = normalise(normalise(text).replace(SEAL, '')).split('\n').at(-1) ?? '';
  const [, threadId, investigationId, kind] = MARKER.exec(last) ?? [];
  if (threadId === undefined || investigationId === undefined || kind === undefined) return null;
  return { threadId, investigationId, kind: kind as MarkerKind };
}

/** Of the pull request that reverts a commit, and of the comments that belong to it. */
export function formatRevertMarker(putBackId: string, kind: 'pull-request' | 'closed' | 'refused'): string {
  return `<!-- causeway revert=${putBackId} kind=${kind} -->`;
}

/** Anybody can quote one: that the text is ours has to be known from its author. */
export function hasRevertMarker(text: string, ...marker: Parameters<typeof formatRevertMarker>): boolean {
  return normalise(normalise(text).replace(SEAL, '')).endsWith(formatRevertMarker(...marker));
}

/** Equal texts have equal digests. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export function sealText(text: string): string {
  return `${text}\n<!-- causeway seal=${digestOf(normalise(text))} -->`;
}

/** Whether only we have written the text; GitHub's changes of line ends and white space don't count. */
export function isAsSealed(text: string): boolean {
  const seal = SEAL.exec(normalise(text))?.[1];
  return seal !== undefined && seal === digestOf(normalise(normalise(text).replace(SEAL, '')));
}

function normalise(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd();
}
