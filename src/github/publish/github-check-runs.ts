// Our check runs on GitHub: each call with the least token for it, and every text through the redactor once more.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { repositoryOf } from '../../core/project.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import type { CheckRunAnnotation } from '../render/check-run-annotations.ts';
import type { CheckRunOutbox, CheckRunPlace, StandingCheckRun } from './check-run-outbox.ts';
import type { CheckRunDeps, CheckRunView, WantedCheckRun } from './decide-check-run.ts';

type Answer = RestEndpointMethodTypes['checks']['create']['response']['data'];

/** As people see it in the list of checks. */
const NAME = 'Causeway';
const PAGE = 100;
/** Of our own check runs on one commit, and of marks at one of them; there are never so many. */
const MOST_PAGES = 5;
const MAX_TITLE = 255;
/** GitHub's limit of a text, and of a message, in bytes. */
const MAX_TEXT = 65_535;

export function createGithubCheckRuns(deps: CheckRunDeps, { project }: Pick<CheckRunView, 'project'>): CheckRunOutbox {
  const at = repositoryOf(project);
  const write = deps.clients.repository(project.source, 'check');
  const clean = (text: string) => deps.redactor.redact(text);
  return {
    find: (place, signal) => find(deps, { project, place }, signal),
    create: async (place, wanted, signal) => {
      const identity = { ...at, name: NAME, head_sha: place.sha, external_id: place.externalId };
      const shown = await shownAs(wanted, clean);
      const { data } = await write.call(
        ({ rest }, request) => rest.checks.create({ ...identity, ...shown, request }),
        signal,
      );
      return standing(data);
    },
    update: async (id, wanted, signal) => {
      const shown = await shownAs(wanted, clean);
      await write.call(
        ({ rest }, request) => rest.checks.update({ ...at, check_run_id: id, ...shown, request }),
        signal,
      );
    },
    annotations: (id, signal) => annotations(deps, { project, id }, signal),
    cleaned: (all) => cleaned(all, clean),
  };
}

/** GitHub keeps check runs of one App apart from all others; that it is of this head its `external_id` says. */
async function find(
  deps: CheckRunDeps,
  { project, place }: Pick<CheckRunView, 'project'> & { readonly place: CheckRunPlace },
  signal: AbortSignal,
): Promise<StandingCheckRun | null> {
  const { appId } = await deps.clients.identity(signal);
  const read = deps.clients.repository(project.source, 'read');
  const of = { ...repositoryOf(project), ref: place.sha, app_id: appId, filter: 'all', per_page: PAGE } as const;
  const found: Answer[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data } = await read.call(({ rest }, request) => rest.checks.listForRef({ ...of, page, request }), signal);
    found.push(...data.check_runs.filter((run) => run.app?.id === appId && run.external_id === place.externalId));
    if (data.check_runs.length < PAGE) break;
  }
  const [first] = found.toSorted((one, other) => one.id - other.id);
  return first === undefined ? null : standing(first);
}

async function annotations(
  deps: CheckRunDeps,
  { project, id }: Pick<CheckRunView, 'project'> & { readonly id: number },
  signal: AbortSignal,
): Promise<readonly Omit<CheckRunAnnotation, 'title'>[]> {
  const read = deps.clients.repository(project.source, 'read');
  const of = { ...repositoryOf(project), check_run_id: id, per_page: PAGE };
  const all: Omit<CheckRunAnnotation, 'title'>[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data } = await read.call(
      ({ rest }, request) => rest.checks.listAnnotations({ ...of, page, request }),
      signal,
    );
    all.push(...data.map(({ path, start_line: line, message }) => ({ path, line, message: message ?? '' })));
    if (data.length < PAGE) break;
  }
  return all;
}

function cleaned(
  all: readonly CheckRunAnnotation[],
  clean: (text: string) => Promise<string>,
): Promise<readonly CheckRunAnnotation[]> {
  return Promise.all(all.map(async (one) => ({ ...one, message: await clean(one.message) })));
}

/** The fields of a call. GitHub marks it as completed by its conclusion. */
async function shownAs(wanted: WantedCheckRun, clean: (text: string) => Promise<string>) {
  const state =
    wanted.status === 'completed'
      ? ({ status: 'completed', conclusion: 'neutral' } as const)
      : ({ status: 'in_progress' } as const);
  const [title = '', summary = '', text = ''] = await Promise.all(
    [wanted.title, wanted.summary, wanted.text].map(clean),
  );
  const marks = (await cleaned(wanted.annotations, clean)).map(({ path, line, title: head, message }) => ({
    ...{ path, start_line: line, end_line: line, annotation_level: 'warning' as const },
    ...{ title: head, message },
  }));
  return {
    ...state,
    output: {
      title: title.slice(0, MAX_TITLE).toWellFormed(),
      summary: fitting(summary),
      ...(text === '' ? {} : { text: fitting(text) }),
      ...(marks.length === 0 ? {} : { annotations: marks }),
    },
    actions: wanted.buttons.map(({ label, description, identifier }) => ({ label, description, identifier })),
  };
}

/** Our texts are made to fit; this holds where the redactor has made one longer. Half a text might set free what it quotes. */
function fitting(text: string): string {
  return Buffer.byteLength(text) <= MAX_TEXT ? text : 'This text was too long to be shown here.';
}

function standing({ id, html_url: url, status, output }: Answer): StandingCheckRun {
  if (typeof id !== 'number') throw unreadableRun();
  return {
    ...{ id, url: url ?? '', annotations: output.annotations_count },
    status: status === 'completed' ? 'completed' : 'in_progress',
  };
}

function unreadableRun(): GithubFailure {
  const failure = { kind: 'unsure', status: null, retryAt: null } as const;
  return new GithubFailure(failure, 'GitHub gave a check run without a number. It is looked for again.');
}
