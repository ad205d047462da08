// What a log says of a project, for callers who wait for it: nothing of it is recorded.

import type { Repository } from 'causeway-git-objects';
import { untilAborted } from '../core/abortable.ts';
import { type Failure, type Finding, nameBareError } from '../core/check/index.ts';
import type { Project } from '../core/project/index.ts';
import type { Store } from '../db/index.ts';
import { createPathIndex, mapPath, resolveAsked } from '../triage/index.ts';
import type { CheckReader } from './checks/check-texts.ts';
import { readOwnership } from './find-ownership.ts';
import type { RequestPullRequestDeps } from './request-pull-request.ts';
import { cleanRepository, createRunRedactor } from './run-redaction.ts';
import type { CoreServices } from './services.ts';

interface ExplainLogDeps extends Pick<CoreServices, 'source' | 'redactor'>, Pick<RequestPullRequestDeps, 'settingsOf'> {
  readonly store: Pick<Store, 'findFailureByFingerprint'>;
  readonly reader: Pick<CheckReader, 'readCheck'>;
}

/** As it was given: neither is redacted. */
interface GivenLog {
  readonly project: Project;
  readonly text: string;
  /** Branch, tag or sha; "": the default branch. */
  readonly revision: string;
}

/** What a log says, as that of a red check is read. */
interface ExplainedLog extends Pick<Finding['excerpt'], 'step' | 'headline' | 'lines' | 'cut' | 'tests'> {
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

/** A first fetch may take longer than a caller waits: it goes on, and their next call finds it done. */
const FETCH_MS = 15 * 60_000;

/** Throws `revision_not_found`, what the repository throws, `github_failed`, and the signal's reason. */
export async function explainLog(deps: ExplainLogDeps, given: GivenLog, signal: AbortSignal): Promise<ExplainedLog> {
  const { project } = given;
  const redactor = createRunRedactor(deps.redactor);
  const log = await redactor.redact(given.text.replaceAll('\0', '\uFFFD'));
  // An error message quotes a revision that does not exist.
  const revision = await redactor.redact(given.revision);
  const { investigation } = await deps.settingsOf(project, signal);
  signal.throwIfAborted();
  const raw = await untilAborted(deps.source.open(project, AbortSignal.timeout(FETCH_MS)), signal);
  if (revision !== '') await raw.ensureCommit(revision, signal);
  const repository = cleanRepository(raw, redactor);
  const read = await deps.reader.readCheck({ name: '', output: '', log, annotations: [] });
  const toPath = await createPathMapper(repository, revision, signal);
  const places = read.places.map(({ path, line, message }) => {
    const own = toPath(path);
    return { path: own ?? path, line, message, isInRepository: own !== null };
  });
  const failing = places.find(({ isInRepository }) => isInRepository)?.path ?? null;
  const ownership = failing === null ? null : await readOwnership(failing, investigation.scopes, repository, signal);
  const { step, headline, lines, cut, tests } = read.excerpt;
  const { infrastructure: machine, fingerprint, isInformative } = read;
  const named = nameBareError(read.excerpt) ?? headline;
  const found = { step, headline: named, lines, cut, tests, places, machine, owners: ownership?.owners ?? [] };
  return {
    ...(await redactor.redactJson(found)),
    // Without a cause it would be that of any silent check.
    failure: isInformative ? await deps.store.findFailureByFingerprint(project.id, fingerprint) : null,
  };
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
