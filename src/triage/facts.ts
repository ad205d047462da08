// Gathers what can be known without a model: signals, the commit, suspects, and a closer look at the first ones.
import type { InvestigationStep } from '../core/evidence.ts';
import type { CommitRange, LikeliestCommit } from '../core/failure.ts';
import type { Step } from '../core/issue.ts';
import type { Lexicon } from '../core/lexicon.ts';
import type { Repository } from '../core/source.ts';
import { showBlamedChange } from './blamed-change.ts';
import type { Clue } from './candidates/clue.ts';
import { frameClues, type MappedFrame, mapTraces } from './candidates/from-frames.ts';
import { messageClues } from './candidates/from-messages.ts';
import { namedPathClues } from './candidates/from-paths.ts';
import { testedClues } from './candidates/from-tests.ts';
import { describeFrames, describeRevision, describeSignals, describeSuspects } from './describe-steps.ts';
import { type Examined, examineEach } from './examine.ts';
import { fileKind, isForeign } from './file-kind.ts';
import { fitFrames } from './fit-frames.ts';
import type { RankedFunction } from './functions/rank-functions.ts';
import { suspectFunctions, withFunctions } from './functions/suspect-functions.ts';
import { type Digests, openDigests } from './localise/open-digests.ts';
import { rankFiles } from './localise/rank-files.ts';
import { createNotebook, type Lookups, type Notebook } from './lookups.ts';
import { readOwnPackages } from './manifests.ts';
import { type Ground, pathsOf } from './map-paths.ts';
import { createPathIndex } from './path-index.ts';
import { carryClues, placeSuspects } from './place-suspects.ts';
import { type RankedSuspect, rankSuspects, shownSuspects } from './rank-suspects.ts';
import { rankRange } from './regression/rank-range.ts';
import { reproductionSteps } from './reproduction.ts';
import { type Revisions, resolveAsked, resolveRevisions } from './resolve-revision.ts';
import { findSignals, type Signals } from './signals.ts';
import { problemStatement } from './statement.ts';

/** Suspects whose place is read, blamed and whose history is listed. */
const EXAMINED = 3;

export interface Facts {
  readonly revisions: Revisions;
  /** Name of the default branch; "" where it is unknown. */
  readonly defaultBranch: string;
  readonly signals: Signals;
  readonly problem: string;
  readonly stepsToReproduce: readonly Step[];
  /** The whole ranking, best first, at most 30; places are of `revisions.asked`. */
  readonly suspects: readonly RankedSuspect[];
  /** Those of them that are worth showing to anybody, at most 8; empty: no reliable suspect. */
  readonly shown: readonly RankedSuspect[];
  /** In the first suspects, best first, at most 50. */
  readonly functions: readonly RankedFunction[];
  /** Files of stack frames that are innermost in no trace: they only lead there. */
  readonly callers: ReadonlySet<string>;
  /** The first of `shown`, looked at closely. */
  readonly examined: readonly Examined[];
  /** Of the commits of `range`; null: none stands out, or there are none. */
  readonly likeliest: LikeliestCommit | null;
  /** Stack frames that belong to packages the repository does not hold, by name. */
  readonly dependencies: readonly string[];
  /** What in the report does not fit the commit, in words. */
  readonly mismatches: readonly string[];
  readonly steps: readonly InvestigationStep[];
}

export interface GatherInput {
  readonly report: string;
  /** Of a failure: the commits since its check was green. Absent or null: not known. */
  readonly range?: CommitRange | null;
  /** Branch, tag or sha; "" is the default branch. */
  readonly revision: string;
  readonly repository: Repository;
  /** What is kept of the repository's files and commits to compare them with the report. */
  readonly lexicon: Lexicon;
  /** Called for each step as it is taken; awaited. */
  readonly onStep: (step: InvestigationStep) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Throws `revision_not_found`, what the repository throws, and the signal's reason when aborted. A fact that is not to
 * be had is a step that says so.
 */
export async function gatherFacts(input: GatherInput): Promise<Facts> {
  const { repository, signal } = input;
  const notebook = createNotebook(input.onStep);
  const asked = await resolveAsked(repository, input.revision, signal);
  const digests = openDigests(input.lexicon, repository.tree(asked), signal);
  const signals = findSignals(input.report);
  await notebook.record(describeSignals(signals, input.report.length));
  const lookups = await openAt(repository, asked, notebook, signal);
  const ownNames = lookups.ground.packages.map(({ name }) => name);
  const revisions = await resolveRevisions({ ...input, ownNames, signals }, signal);
  await notebook.record(describeRevision(revisions, signals));
  const traced = await traceFacts(lookups, revisions, signals);
  const found = await findSuspects({ ...input, digests }, { lookups, signals, traced });
  const shown = shownSuspects(found.suspects);
  await notebook.record(describeSuspects(shown, found.suspects.length, asked));
  const { report, range = null } = input;
  const told = { report, traces: signals.traces, mapped: traced.mapped, suspects: shown };
  const likeliest = range && (await rankRange(lookups, { ...told, range }));
  const examined = await examineEach(lookups, shown.slice(0, EXAMINED), async (one, index) => {
    if (index === 0) await showBlamedChange(lookups, one);
  });
  return {
    revisions,
    defaultBranch: repository.defaultBranch,
    signals,
    problem: problemStatement(input.report, signals),
    stepsToReproduce: reproductionSteps(input.report),
    suspects: found.suspects,
    shown,
    functions: found.functions,
    callers: callersOf(traced.mapped),
    examined,
    likeliest,
    dependencies: dependenciesOf(traced.mapped.flat()),
    mismatches: [...traced.lost, ...found.mismatches],
    steps: notebook.steps,
  };
}

interface Traced {
  readonly lookups: Lookups;
  readonly signals: Signals;
  readonly traced: TraceFacts;
}

/** Ranked by what points at them, then each placed: at the function that the report is likeliest about, unless a place is named. */
async function findSuspects(
  input: { readonly report: string; readonly digests: Promise<Digests> },
  { lookups, signals, traced }: Traced,
): Promise<Pick<Facts, 'suspects' | 'functions' | 'mismatches'>> {
  const report = { ...signals, report: input.report, mapped: traced.mapped };
  const clues = [...traced.clues, ...(await textClues(lookups, signals))];
  const ranked = rankSuspects(clues, await rankFiles({ lookups, ...(await input.digests), report, clues }));
  const { suspects, mismatches } = await placeSuspects(lookups, ranked, unsurePaths(traced.mapped.flat()));
  const functions = await suspectFunctions({ lookups, report, suspects, linesHold: traced.linesHold });
  return { suspects: withFunctions(suspects, functions), functions, mismatches };
}

async function openAt(repository: Repository, sha: string, notebook: Notebook, signal: AbortSignal): Promise<Lookups> {
  const tree = repository.tree(sha);
  const index = createPathIndex(await tree.files(signal));
  const packages = await readOwnPackages(tree, index, signal);
  return { repository, tree, ground: { index, packages }, notebook, signal };
}

interface TraceFacts {
  readonly clues: readonly Clue[];
  readonly mapped: readonly (readonly MappedFrame[])[];
  /** Whether the lines of `mapped` are those of the commit that was asked for. */
  readonly linesHold: boolean;
  readonly lost: readonly string[];
}

/** Frames and places with lines are read at the commit that the report is about, then carried over to the one asked for. */
async function traceFacts(lookups: Lookups, revisions: Revisions, signals: Signals): Promise<TraceFacts> {
  const { traces } = signals;
  const other = revisions.framesName === '' ? null : lookups.repository.tree(revisions.frames);
  const ground: Ground = other
    ? { ...lookups.ground, index: createPathIndex(await other.files(lookups.signal)) }
    : lookups.ground;
  const mapped = mapTraces(ground, traces);
  if (traces.length > 0) await lookups.notebook.record(describeFrames(traces, mapped, revisions));
  const placed = namedPathClues(ground, { places: signals.places, paths: [] });
  const framed = { tree: other ?? lookups.tree, name: revisions.framesName };
  const fitted = await fitFrames({ ...lookups, tree: framed.tree, ground }, mapped);
  const found = [...frameClues(traces, fitted.mapped), ...placed];
  const carried = await carryClues(lookups, framed, found);
  return { clues: carried.clues, lost: [...carried.lost, ...fitted.lost], mapped, linesHold: other === null };
}

async function textClues(lookups: Lookups, signals: Signals): Promise<readonly Clue[]> {
  const { ground } = lookups;
  const named = namedPathClues(ground, { places: [], paths: signals.paths });
  const tests = [
    ...mapTraces(ground, signals.traces).flatMap((frames) =>
      frames.flatMap(({ mapping }) => (mapping.kind === 'own' ? [mapping.path] : [])),
    ),
    ...named.map(({ path }) => path),
  ].filter((path) => fileKind(path) === 'test');
  return [...named, ...testedClues(ground.index, tests), ...(await messageClues(lookups, signals))];
}

function unsurePaths(mapped: readonly MappedFrame[]): ReadonlySet<string> {
  return new Set(mapped.flatMap(({ mapping }) => (mapping.kind === 'ambiguous' ? mapping.paths : [])));
}

function callersOf(mapped: readonly (readonly MappedFrame[])[]): ReadonlySet<string> {
  const own = mapped.map((frames) =>
    frames.flatMap(({ mapping }) => pathsOf(mapping)).filter((path) => !isForeign(path)),
  );
  return new Set(own.flatMap((paths) => paths.slice(1))).difference(new Set(own.flatMap((paths) => paths.slice(0, 1))));
}

function dependenciesOf(mapped: readonly MappedFrame[]): readonly string[] {
  return [...new Set(mapped.flatMap(({ mapping }) => (mapping.kind === 'dependency' ? [mapping.of] : [])))];
}
