// What a report says of this code, checked: each file, line, name, option, version and commit that it names, looked up
// at the commit that the report is about. A thing is absent only where it is of this project by what the report itself
// shows and a complete search did not find it: to tell a reporter wrongly that something is not there is worse than to
// say nothing.

import type { HistoryQuery } from 'causeway-git-objects';
import { cutText } from 'causeway-visible-text';
import type { ReportClaim } from '../../core/issue/index.ts';
import { hasWord } from '../identifiers.ts';
import { attempt, type Lookups, shortenSha } from '../lookups.ts';
import { readsAsWish } from '../report-text.ts';
import type { Signals } from '../signals.ts';
import { checkNames } from './check-names.ts';
import { type ClaimedCommit, checkPlaces, findOwnPath, type PlacesInput } from './check-places.ts';
import { checkNamedCommits, checkVersions } from './check-versions.ts';
import type { FoundClaim } from './claim.ts';
import { listNamedThings } from './list-names.ts';
import { listProjectNames } from './own-names.ts';

/** A report that names more is a log. */
const MAX_CLAIMS = 40;

/** What all lookups of a report may take; what was not reached then is unchecked. */
const TIME_MS = 5_000;

interface ClaimsInput extends PlacesInput {
  readonly signals: Signals;
}

/** What does not hold first, then what was not checked. Throws what the repository throws, and the signal's reason. */
export async function checkClaims(
  lookups: Lookups,
  input: ClaimsInput,
  limitMs = TIME_MS,
): Promise<readonly ReportClaim[]> {
  const limit = AbortSignal.timeout(limitMs);
  const signal = AbortSignal.any([lookups.signal, limit]);
  const own: Lookups = { ...lookups, tree: input.at.tree, signal };
  const ownNames = listProjectNames(lookups.ground, lookups.repository.tags);
  const claims: FoundClaim[] = [];
  const parts = [
    checkNamesAndPlaces(own, input, { ownNames, found: claims }),
    checkNamedCommits(own, input.report).then((found) => claims.push(...found)),
    checkVersions(own, input.report, ownNames).then((found) => claims.push(...found)),
  ];
  const ends = await Promise.allSettled(parts);
  lookups.signal.throwIfAborted();
  const failed = ends.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected' && !limit.aborted) throw failed.reason;
  const order: readonly ReportClaim['state'][] = ['absent', 'unchecked', 'exists'];
  const rank = ({ state, isOnlyOfPast }: FoundClaim) => (isOnlyOfPast ? 0.5 : order.indexOf(state));
  const sorted = [...new Map(claims.map((claim) => [`${claim.kind} ${claim.text}`, claim])).values()].toSorted(
    (a, b) => rank(a) - rank(b),
  );
  return await addPast({ ...own, signal }, sorted.slice(0, MAX_CLAIMS), input.at);
}

async function checkNamesAndPlaces(
  lookups: Lookups,
  input: ClaimsInput,
  { ownNames, found }: { readonly ownNames: readonly string[]; readonly found: FoundClaim[] },
): Promise<void> {
  const { signals, report, mapped } = input;
  const places = await checkPlaces(lookups, input, ownNames);
  found.push(...places.claims);
  const frames = mapped.flat();
  const named = listNamedThings({
    report,
    ownNames,
    messages: signals.errors.slice(0, 3).flatMap(({ from, message }) => (from === 'quote' ? [] : [message])),
    isWish: readsAsWish(report, signals),
    files: [...signals.paths, ...signals.places.map(({ file }) => file)].filter(
      (file) => findOwnPath(lookups, file) !== null || places.claims.some(({ text }) => text.startsWith(file)),
    ),
    framed: {
      own: frames.flatMap(({ frame, mapping }) =>
        mapping.kind === 'own' || places.lost.has(frame.function) ? [frame.function] : [],
      ),
      lost: places.lost,
      lostFiles: places.lostFiles,
      others: new Set(
        frames.flatMap(({ frame, mapping }) =>
          mapping.kind === 'dependency' || mapping.kind === 'runtime' ? [frame.function] : [],
        ),
      ),
    },
  });
  try {
    found.push(...(await checkNames(lookups, named, input.at.name)));
  } catch (error) {
    const tied = named.filter(({ isTied }) => isTied);
    found.push(...tied.map(({ text, kind }) => ({ text, kind, state: 'unchecked' as const, note: '' })));
    throw error;
  }
}

/** Of names and files that are not there, when they went. */
async function addPast(
  lookups: Lookups,
  claims: readonly FoundClaim[],
  { tree, name }: ClaimedCommit,
): Promise<readonly ReportClaim[]> {
  const told: ReportClaim[] = [];
  for (const { past, isOnlyOfPast, now = '', ...claim } of claims) {
    const found = { ...claim, at: tree.revision, reference: '' };
    if (past === undefined) {
      told.push(found);
      continue;
    }
    const went = lookups.signal.aborted ? NOT_SEARCHED : await findRemoval(lookups, past, name);
    if (went.sha === '' && isOnlyOfPast) continue;
    const note = [claim.note, went.note, now === '' ? '' : `${now} has that name`]
      .filter((part) => part !== '')
      .join('; ');
    if (went.sha === '') told.push({ ...found, note });
    else if (now === '') told.push({ ...found, state: 'removed', reference: went.sha, note });
    else told.push({ ...found, state: 'moved', reference: now, note });
  }
  return told;
}

interface Removal {
  /** "": not known. */
  readonly sha: string;
  readonly note: string;
}

const NOT_SEARCHED: Removal = { sha: '', note: 'history not searched' };

async function findRemoval(lookups: Lookups, past: HistoryQuery, at: string): Promise<Removal> {
  const { tree, signal, repository } = lookups;
  const action = `history of ${JSON.stringify(past.text ?? past.path)} at ${at}`;
  try {
    const found = await attempt(lookups, action, () => tree.history({ ...past, limit: 1 }, signal));
    const [last] = found?.commits ?? [];
    if (found === null || repository.shallow) return NOT_SEARCHED;
    if (last === undefined) return found.cut === '' ? { sha: '', note: 'nor in history' } : NOT_SEARCHED;
    const isRemoval = past.text === undefined || (await removesWord(lookups, last.sha, past.text));
    const note = `removed in ${shortenSha(last.sha)} (${last.date.slice(0, 10)})`;
    return isRemoval ? { sha: last.sha, note } : { sha: '', note: '' };
  } catch (error) {
    if (signal.aborted) return NOT_SEARCHED;
    throw error;
  }
}

/** Not where the word was part of a longer one. */
async function removesWord({ repository, signal }: Lookups, sha: string, word: string): Promise<boolean> {
  const { patch } = await repository.tree(sha).compare(null, { text: word, patch: true }, signal);
  const lines = patch.split('\n').filter((line) => hasWord(line, word));
  return lines.some((line) => line.startsWith('-')) && !lines.some((line) => line.startsWith('+'));
}

/** Lines of a step; what else does not hold is counted. */
const MAX_TOLD = 12;

/** One step if something does not hold; if all of it does, there is nothing to read. */
export async function recordClaims(
  { notebook }: Pick<Lookups, 'notebook'>,
  claims: readonly ReportClaim[],
  name: string,
): Promise<void> {
  const missing = claims.filter(({ state }) => state !== 'exists' && state !== 'unchecked');
  if (missing.length === 0) return;
  const more = missing.length - MAX_TOLD;
  const lines = missing.slice(0, MAX_TOLD).map(({ text, note }) => `${cutText(text, 160)}: ${note}`);
  const checked = claims.filter(({ state }) => state !== 'unchecked');
  await notebook.record({
    action: `check what the report names at ${name}`,
    result: [...lines, ...(more > 0 ? [`… ${more} more`] : [])].join('\n'),
    analysis: `${checked.length - missing.length} of ${checked.length} things that the report names of this code exist here.`,
  });
}
