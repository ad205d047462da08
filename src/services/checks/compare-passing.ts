// A red check beside a green run of the same check on the default branch: what both print is not the cause, and is not shown as it.
import type { Check } from '../../core/check.ts';
import type { HeadPlace } from '../../core/head.ts';
import type { Look } from './deps.ts';
import type { ReadSuspect } from './read-suspects.ts';
import { REPORT_LOG_BYTES, wordsOf } from './words-of.ts';

/** The same check with what is to be shown of it then; itself where there is nothing to compare it with. */
export type Comparison = (red: ReadSuspect) => Promise<ReadSuspect>;

/** So many greens of one check are asked whether they are of our own branch. */
const MOST_ASKED = 5;
/** For all of a look: its verdict waits for this. */
const LIMIT_MS = 20_000;
/** Of other CI no log can be read. */
const ACTIONS = 'github-actions';

/**
 * For one look at a head, of checks whose words are kept, which are few: a log more for each. What does not work out leaves the check as it is,
 * and nothing more is asked in that look: no verdict is put off for such a log. Throws the look's reason.
 */
export function comparisonOf(look: Look, place: HeadPlace): Comparison {
  let hasFailed = false;
  let limit: AbortSignal | null = null;
  return async (red) => {
    if (hasFailed || !mayDiffer(red)) return red;
    limit ??= AbortSignal.timeout(LIMIT_MS);
    const within = { ...look, signal: AbortSignal.any([look.signal, limit]) };
    try {
      const green = await greenRunOf(within, place, red.suspect.check);
      if (green === null) return red;
      const { words } = await wordsOf({ ...within, logBytes: REPORT_LOG_BYTES }, green);
      return await readBeside(look, red, words.log);
    } catch (error) {
      look.signal.throwIfAborted();
      hasFailed = true;
      look.deps.log.debug({ head: look.head.id, err: error }, 'red checks could not be compared with green ones');
      return red;
    }
  };
}

/** What fails with its machine is known by that, and of what tells nothing there is nothing to be left out. */
function mayDiffer({ suspect: { check }, read, said }: ReadSuspect): boolean {
  return check.app === ACTIONS && (said?.words.log ?? '') !== '' && read.isInformative && read.infrastructure === null;
}

/**
 * That of this very commit, or of the base, needs no question; else the newest that it stands on. A fork may have a `main` of its own, whose
 * greens are noted alike: what counts is what our branch contains.
 */
async function greenRunOf(look: Look, place: HeadPlace, { name, app }: Check): Promise<Check | null> {
  const { deps, project, head, leads, signal } = look;
  const to = place.kind === 'pull_request' ? place.base.sha : head.sha;
  const greens = (await deps.store.lastGreens(project.id, { name, app })).filter(({ runId }) => runId !== null);
  const same = greens.find(({ sha }) => sha === to);
  const asked = same === undefined ? greens.slice(0, MOST_ASKED) : [same];
  for (const { sha: from, at, runId } of asked) {
    signal.throwIfAborted();
    if (from !== to && !(await leads({ from, to }))) continue;
    return {
      ...{ name, app, runId, state: 'green', conclusion: 'success', startedAt: '', endedAt: at, url: '' },
      ...{ title: '', summary: '', text: '', annotations: 0 },
    };
  }
  return null;
}

/** Read again it is the same failure, or it was not read in time, or what is kept of its log tells something else. */
async function readBeside({ deps, signal }: Look, red: ReadSuspect, passing: string): Promise<ReadSuspect> {
  const { suspect, read, said } = red;
  if (said === null) return red;
  const { log, annotations } = said.words;
  const texts = { name: suspect.check.name, output: said.output, log, annotations, passing };
  const beside = await deps.readCheck(texts);
  signal.throwIfAborted();
  return beside.fingerprint === read.fingerprint ? { ...red, read: beside } : red;
}
