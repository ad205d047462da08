// What a report or a log says of a project without a model, for callers who wait for it: nothing of it is recorded.

import type { Repository } from 'causeway-git-objects';
import type { Redactor } from 'causeway-redact';
import { untilAborted } from '../core/abortable.ts';
import type { Failure, Finding } from '../core/check/index.ts';
import type { Conclusion, Ownership, ReportClaim, Suspect } from '../core/issue/index.ts';
import { findReportScopes, type Project, type Scope } from '../core/project/index.ts';
import type { Store } from '../db/index.ts';
import { concludeFromFacts, createPathIndex, gatherFacts, mapPath, resolveAsked } from '../triage/index.ts';
import type { CheckReader } from './checks/check-texts.ts';
import { findOwnership, readOwnership } from './find-ownership.ts';
import type { RequestPullRequestDeps } from './request-pull-request.ts';
import { cleanRepository, createRunRedactor } from './run-redaction.ts';
import type { CoreServices } from './services.ts';

interface LookUpDeps
  extends Pick<CoreServices, 'source' | 'lexicons' | 'redactor'>,
    Pick<RequestPullRequestDeps, 'settingsOf'> {
  readonly store: Pick<Store, 'findFailureByFingerprint'>;
  readonly reader: Pick<CheckReader, 'readCheck' | 'readReport'>;
}

/** As it was given: neither is redacted. */
export interface GivenText {
  readonly project: Project;
  readonly text: string;
  /** Branch, tag or sha; "": the default branch. */
  readonly revision: string;
}

/** As an Issue has it. */
export interface FoundFacts extends Pick<Conclusion, 'problem' | 'rootCause'> {
  readonly revision: string;
  readonly suspects: readonly Suspect[];
  readonly claims: readonly ReportClaim[];
  readonly ownership: Ownership | null;
  readonly questions: readonly string[];
}

/** Throws `revision_not_found`, what the repository throws, `github_failed`, and the signal's reason. */
export async function lookUpReport(deps: LookUpDeps, given: GivenText, signal: AbortSignal): Promise<FoundFacts> {
  const { text, revision, repository, redactor, scopes } = await openLookUp(deps, given, signal);
  const read = await deps.reader.readReport(text);
  signal.throwIfAborted();
  const facts = await gatherFacts({
    report: read.text,
    words: read.words,
    logs: read.logs,
    revision,
    repository,
    lexicon: deps.lexicons.of(given.project),
    scopes: findReportScopes(scopes, text),
    onStep: async () => {},
    signal,
  });
  const conclusion = await redactor.redactJson(concludeFromFacts(facts, { seconds: 0 }));
  const { revision: sha, suspects, claims = [], questions } = conclusion.analysis;
  const ownership = await redactor.redactJson(await findOwnership(conclusion, scopes, repository, signal));
  const { problem, rootCause } = conclusion;
  return { revision: sha, problem, rootCause, suspects, claims, ownership, questions };
}

/** What a log says, as that of a red check is read. */
interface ReadGivenLog extends Pick<Finding['excerpt'], 'step' | 'headline' | 'lines' | 'cut' | 'tests'> {
  /** Paths of the repository where they lead to one file of it, else as the log has them. */
  readonly places: readonly (Pick<Finding['places'][number], 'path' | 'line' | 'message'> & {
    readonly isInRepository: boolean;
  })[];
  /** Why the machine or a service is to blame, with the line that says so; null: neither is. */
  readonly machine: { readonly what: string; readonly line: string } | null;
  /** Of the first file of the repository that it names. */
  readonly owners: readonly string[];
  /** The one of this project with the same cause; null: it is not known. */
  readonly failure: Failure | null;
}

/** Throws as `lookUpReport`. */
export async function lookUpLog(deps: LookUpDeps, given: GivenText, signal: AbortSignal): Promise<ReadGivenLog> {
  const { text, revision, repository, redactor, scopes } = await openLookUp(deps, given, signal);
  const read = await deps.reader.readCheck({ name: '', output: '', log: text, annotations: [] });
  const toPath = await createPathMapper(repository, revision, signal);
  const places = read.places.map(({ path, line, message }) => {
    const own = toPath(path);
    return { path: own ?? path, line, message, isInRepository: own !== null };
  });
  const failing = places.find(({ isInRepository }) => isInRepository)?.path ?? null;
  const ownership = failing === null ? null : await readOwnership(failing, scopes, repository, signal);
  const { step, headline, lines, cut, tests } = read.excerpt;
  const { infrastructure: machine, fingerprint, isInformative } = read;
  const found = { step, headline, lines, cut, tests, places, machine, owners: ownership?.owners ?? [] };
  return {
    ...(await redactor.redactJson(found)),
    // Without a cause it would be that of any silent check.
    failure: isInformative ? await deps.store.findFailureByFingerprint(given.project.id, fingerprint) : null,
  };
}

interface LookUp {
  readonly text: string;
  readonly revision: string;
  readonly repository: Repository;
  readonly redactor: Redactor;
  readonly scopes: readonly Scope[];
}

/** A first fetch may take longer than a caller waits: it goes on, and their next call finds it done. */
const FETCH_MS = 15 * 60_000;

async function openLookUp(
  { source, settingsOf, redactor: common }: LookUpDeps,
  given: GivenText,
  signal: AbortSignal,
): Promise<LookUp> {
  const redactor = createRunRedactor(common);
  const text = await redactor.redact(given.text.replaceAll('\0', '\uFFFD'));
  // An error message quotes a revision that does not exist.
  const revision = await redactor.redact(given.revision);
  const { investigation } = await settingsOf(given.project, signal);
  signal.throwIfAborted();
  const raw = await untilAborted(source.open(given.project, AbortSignal.timeout(FETCH_MS)), signal);
  if (revision !== '') await raw.ensureCommit(revision, signal);
  return { text, revision, repository: cleanRepository(raw, redactor), redactor, scopes: investigation.scopes };
}

/** The one file of the commit that a path leads to; null where it leads to none, or may lead to several. */
async function createPathMapper(
  repository: Repository,
  revision: string,
  signal: AbortSignal,
): Promise<(written: string) => string | null> {
  const tree = repository.tree(await resolveAsked(repository, revision, signal));
  const index = createPathIndex(await tree.files(signal));
  return (written) => {
    const mapping = mapPath({ index, packages: [] }, written);
    return mapping.kind === 'own' && mapping.certain ? mapping.path : null;
  };
}
