// `action`: one job of GitHub Actions. It reads the event that started it, does what the server would do with it, and ends
// when nothing is left to do; what it found is on GitHub, in the job's summary and in its outputs.
import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReadableLog, type ExitCode } from '../cli/terminal.ts';
import { type ActionInputs, type Config, readActionConfig } from '../config.ts';
import { createSigningSecret } from '../core/account/index.ts';
import { describeReason, type Head } from '../core/check/index.ts';
import { CausewayError } from '../core/errors.ts';
import { createIssueView, NO_LINKS, type SourcedIssue } from '../core/issue/index.ts';
import { summariseForecast } from '../core/past.ts';
import { type GithubProject, type Installation, isAtLeast, isGithubProject } from '../core/project/index.ts';
import { describeForPeople } from '../core/reason.ts';
import type { Report } from '../core/report/index.ts';
import { describeWithheld, type Thread } from '../core/thread/index.ts';
import { findGithubFailure, type GithubFailure, isBot, toPerson } from '../github/clients/index.ts';
import { type ArrivedEvent, isRecord } from '../github/intake/index.ts';
import { toInstalledRepository } from '../github/projects/index.ts';
import { loadIssue } from '../github/publish/index.ts';
import { renderForecast, renderReason } from '../github/render/index.ts';
import { createLog, type Log, registerSecret } from '../log.ts';
import { acceptReport } from '../services/index.ts';
import { toIssueMarkdown } from '../web/index.ts';
import { type AboutEvent, type AskedOfJob, readAsked } from './action-event.ts';
import type { CommandContext } from './command-context.ts';
import { createSettingsReader, type GithubService, openGithubService } from './github.ts';
import type { ActionMode } from './mode.ts';
import { listModels } from './model.ts';

/** Of 1,000 an hour that all workflows of a repository share. */
const MOST_READS = 400;
/** A job that waits for longer costs minutes and holds up the next one of its group: what is due later is left. */
const LONGEST_WAIT_MS = 30_000;
/** What the job stays for. Not the past, webhooks or the outcome of answers, which need records. */
const WORK = ['run', 'publish', 'head', 'check-run'] as const;
/** GitHub's limit is 1 MiB a step. */
const MOST_SUMMARY = 900_000;

/**
 * Runs one job to its end. Returns 0 where it did its job, whatever it found; 1 where the set-up is wrong, with the repair
 * on standard error: a red job that is no failure of the project is noise. Throws only for faults of our own.
 */
export async function runAction({ io, environment, now }: CommandContext, signal: AbortSignal): Promise<ExitCode> {
  // The runner takes lines of the log that begin with :: for commands, and what we quote comes from outside.
  const resume = randomBytes(16).toString('hex');
  io.out(`::stop-commands::${resume}\n`);
  try {
    const { config, inputs } = readActionConfig(environment);
    for (const secret of [...config.secrets, inputs.token]) registerSecret(secret);
    const log = createLog({
      level: config.logLevel === 'info' ? 'warn' : config.logLevel,
      destination: createReadableLog(io.err, false),
    });
    try {
      await runJob({ config, inputs, log, now, say: (text) => io.out(`${text}\n`) }, signal);
    } finally {
      await rm(config.dataDir, { recursive: true, force: true });
    }
    return 0;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CausewayError)) throw error;
    io.err(`${error.message}\n`);
    return 1;
  } finally {
    io.out(`::${resume}::\n`);
  }
}

interface ActionJob {
  readonly config: Config;
  readonly inputs: ActionInputs;
  readonly log: Log;
  readonly now: () => Date;
  /** Writes one line that people read in the log of the job. */
  readonly say: (text: string) => void;
}

async function runJob(job: ActionJob, signal: AbortSignal): Promise<void> {
  const { inputs, say } = job;
  const payload = readEvent(inputs.eventFile);
  const refusal = findPayloadRefusal(payload, inputs);
  if (refusal !== '') return say(refusal);
  const forbidden = new Set<string>();
  const onForbidden = (route: string) => void forbidden.add(route);
  const mode: ActionMode = { kind: 'action', token: inputs.token, mostReads: MOST_READS, onForbidden };
  await using service = await openGithubService(job, mode, signal);
  try {
    const project = await openProject(service, inputs.repository, signal);
    const asked = await readAsked(service, { payload, inputs, project }, signal);
    if (asked.kind === 'nothing') return say(asked.why);
    if (asked.kind === 'forecast') {
      await reportForecast(job, service, project, signal);
      return reportForbidden(job, forbidden);
    }
    const isReport = asked.kind === 'report';
    const about = isReport ? await submitActionReport(job, service, { ...asked, project }, signal) : asked.about;
    await carryOutJob(service, { project, about, events: isReport ? [] : asked.events }, signal);
    await report(job, service, { project, about }, signal);
    if (inputs.isFirstRun && job.config.maxMode === 'observe') await reportForecast(job, service, project, signal);
    reportForbidden(job, forbidden);
  } catch (error) {
    const failure = findGithubFailure(error);
    if (failure === null) throw error;
    const { kind, message } = failure;
    // Whoever runs the workflow can do nothing about GitHub's own faults; a refused token is the set-up's.
    if (kind === 'refused' || kind === 'gone') throw explainPermissions(failure);
    say(`GitHub could not be asked: ${message}`);
    write(inputs.summaryFile, `**Causeway could not read GitHub.** ${message}\n`);
  }
}

async function reportForecast(
  { inputs, say }: ActionJob,
  service: GithubService,
  project: GithubProject,
  signal: AbortSignal,
): Promise<void> {
  const forecast = await service.readForecast(project, signal);
  const { redact } = service.services.redactor;
  write(inputs.summaryFile, `\n${await redact(renderForecast(project.name, forecast))}\n\n`);
  say(await redact(`The last 14 days of ${project.name}: ${summariseForecast(forecast)}.`));
}

/** Throws `usage` naming the permissions that the workflow lacks: without them an answer may be shown nowhere. */
function reportForbidden({ inputs, say }: ActionJob, routes: ReadonlySet<string>): void {
  if (routes.size === 0) return;
  const wanted = [...new Set([...routes].map(nameNeed))].join(', ');
  const message = `The token lacks permissions (GitHub refused ${[...routes].join('; ')}). Give the job the permissions ${wanted}; "causeway check-config" names what else is missing.`;
  // GitHub gives the jobs that Dependabot starts a token that only reads, and no secrets.
  if (!inputs.isBot) throw new CausewayError('usage', message);
  say(message);
}

/** The permission that a call needs, as a workflow names it. */
function nameNeed(route: string): string {
  const level = route.startsWith('GET') ? 'read' : 'write';
  const [, name = 'contents'] = NEEDS.find(([of]) => of.test(route)) ?? [];
  return `${name}: ${level}`;
}

const NEEDS: readonly (readonly [RegExp, string])[] = [
  [/check-(?:runs|suites)/, 'checks'],
  [/\/actions\//, 'actions'],
  [/status/, 'statuses'],
  [/\/pulls/, 'pull-requests'],
  [/\/issues/, 'issues'],
];

function explainPermissions(error: GithubFailure): CausewayError {
  const repair = 'give the workflow the permissions of its mode (docs/action.md), or run "causeway check-config"';
  return new CausewayError('usage', `${error.message} If a permission is missing: ${repair}.`, { cause: error });
}

function readEvent(file: string): Readonly<Record<string, unknown>> {
  try {
    const payload: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isRecord(payload)) return payload;
  } catch (cause) {
    throw new CausewayError('usage', 'GITHUB_EVENT_PATH names no readable event: run this as a step of a workflow.', {
      cause,
    });
  }
  throw new CausewayError('usage', 'GITHUB_EVENT_PATH holds no event: run this as a step of a workflow.');
}

/** An event about another repository than the job's is none that GitHub has sent. */
function findPayloadRefusal(payload: Readonly<Record<string, unknown>>, { repository, event }: ActionInputs): string {
  const about = isRecord(payload['repository']) ? String(payload['repository']['full_name']) : '';
  if (about.toLowerCase() === repository.toLowerCase()) return '';
  return `The event ${event} is not about ${repository}: nothing was done.`;
}

/** A token of a workflow reaches one repository, and can't say which permissions it has: GitHub decides at each call. */
const ALL: Installation['permissions'] = {
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  checks: 'write',
  actions: 'read',
  statuses: 'read',
  metadata: 'read',
};

/** The one repository, as if an App were installed there that may do everything. Throws GithubFailure. */
export async function openProject(service: GithubService, name: string, signal: AbortSignal): Promise<GithubProject> {
  const { services, clients } = service;
  const [owner = '', repo = ''] = name.split('/');
  const { data } = await clients.app.call(({ rest }, request) => rest.repos.get({ owner, repo, request }), signal);
  const kind = data.owner.type === 'Organization' ? 'organization' : 'user';
  const installation: Installation = {
    id: 1,
    owner: { id: data.owner.id, login: data.owner.login, kind },
    permissions: ALL,
    isSuspended: false,
  };
  const now = services.now().toISOString();
  await services.store.syncInstallation(installation, [toInstalledRepository(data)], now);
  const project = await services.store.findProjectOfRepository(data.id);
  if (project === null || !isGithubProject(project)) throw new CausewayError('usage', `${name} could not be opened.`);
  return project;
}

/** Stores a report as a call of the API does, from a person who could submit one there. */
async function submitActionReport(
  { config }: ActionJob,
  { services, permissions, configuration, investigator }: GithubService,
  { project, text, sender }: Extract<AskedOfJob, { readonly kind: 'report' }> & { readonly project: GithubProject },
  signal: AbortSignal,
): Promise<AboutJob> {
  const by = isBot(sender) ? null : toPerson(sender);
  const role = by === null ? 'none' : await permissions.roleOfPerson(by, project, signal);
  if (by === null || !isAtLeast(role, 'triage')) return { kind: 'report', investigationId: null };
  const { login, id: githubId } = by;
  const now = services.now().toISOString();
  const signingSecret = createSigningSecret();
  const account = await services.store.ensureAccount({ login, githubId, signingSecret, now });
  const settingsOf = createSettingsReader(configuration, config, listModels(investigator));
  const { investigation: settings } = await settingsOf(project, signal);
  const report: Report = {
    ...({ projectId: project.id, accountId: account.id, origin: 'api', text, settings } as const),
    reference: '',
    revision: '',
    callbackUrl: '',
    fresh: false,
    isTrusted: isAtLeast(role, 'write'),
  };
  const accepted = await acceptReport(services, report, { by: account });
  return { kind: 'report', investigationId: accepted.kind === 'accepted' ? accepted.investigationId : null };
}

/** Until nothing is left that is due soon. */
async function carryOutJob(
  service: GithubService,
  { project, about, events }: FoundProject & { readonly events: readonly ArrivedEvent[] },
  signal: AbortSignal,
): Promise<void> {
  const { services, probot, inFlight } = service;
  for (const event of events) {
    // A label asks for less than a command that GitHub dropped for it: where that began an analysis, it is the answer to both.
    const isCommand = event.name === 'issue_comment' || about.kind !== 'subject';
    if (!isCommand && (await services.store.findThreadOfSubject(project.id, about.subject)) !== null) continue;
    try {
      await inFlight.during(event.id, signal, () => probot.receive(event));
    } catch (error) {
      throw error instanceof AggregateError ? error.errors[0] : error;
    }
  }
  await using worker = service.startWork();
  for (;;) {
    await worker.waitUntilIdle(signal);
    const next = await services.queue.findNextDue(WORK);
    const waitMs = next === null ? Number.POSITIVE_INFINITY : Date.parse(next) - services.now().getTime();
    if (waitMs > LONGEST_WAIT_MS) return;
    await sleep(Math.max(50, waitMs), undefined, { signal });
  }
}

type AboutJob = AboutEvent | { readonly kind: 'report'; readonly investigationId: string | null };

interface FoundProject {
  readonly project: GithubProject;
  readonly about: AboutJob;
}

/** Outputs and summary. Everything in them is redacted once more, as it is on GitHub. */
async function report(job: ActionJob, service: GithubService, found: FoundProject, signal: AbortSignal): Promise<void> {
  const { inputs, say } = job;
  const { redact } = service.services.redactor;
  const shown = await describeActionResult(service, found, signal);
  const outputs = Object.entries(shown.outputs).map(([name, value]) => formatOutput(name, value));
  write(inputs.outputFile, await redact(outputs.join('')));
  const summary = await redact(shown.summary);
  // A cut could expose what was quoted.
  write(inputs.summaryFile, summary.length > MOST_SUMMARY ? `${shown.line}\n` : summary);
  say(await redact(shown.line));
}

/** With an end that the value can't contain: https://docs.github.com/actions/reference/workflow-commands-for-github-actions. */
function formatOutput(name: string, value: string): string {
  const end = `end-${randomBytes(12).toString('hex')}`;
  return `${name}<<${end}\n${value.replaceAll(/[\r\n]+/g, ' ')}\n${end}\n`;
}

function write(file: string, text: string): void {
  if (file !== '') appendFileSync(file, text);
}

interface ShownResult {
  readonly outputs: {
    readonly outcome: string;
    readonly confidence: string;
    readonly 'issue-url': string;
    readonly 'pull-request': string;
    readonly verdict: string;
  };
  readonly summary: string;
  /** The same in one line. */
  readonly line: string;
}

const NOT_STARTED = 'No analysis was started by this.';
const WHAT_STARTS =
  'One begins with a label that .github/causeway.yml names or with a command, from somebody with triage or more; other commands have their reply on GitHub.';

async function describeActionResult(
  service: GithubService,
  { project, about }: FoundProject,
  signal: AbortSignal,
): Promise<ShownResult> {
  const { store } = service.services;
  if (about.kind === 'subject') {
    const thread = await store.findThreadOfSubject(project.id, about.subject);
    const onPull = about.subject.kind === 'pull_request' ? ' On a pull request one is about its failed checks.' : '';
    if (thread === null) return toShown({ line: `${NOT_STARTED} ${WHAT_STARTS}${onPull}` });
    const { investigationId, record } = thread;
    return await describeAnalysis(service, { project, thread, investigationId, url: record.comment?.url ?? '' });
  }
  if (about.kind === 'report') {
    if (about.investigationId === null) return toShown({ line: NOT_STARTED });
    return await describeAnalysis(service, { project, thread: null, investigationId: about.investigationId, url: '' });
  }
  const head = await store.findHeadOfCommit(project.id, about.sha);
  if (head === null || head.findings.length === 0) {
    return toShown({ line: `Nothing is said of ${about.sha.slice(0, 7)}${explainNoChecks(service)}` });
  }
  return await describeHeadResult(service, head, signal);
}

function explainNoChecks({ notRead }: GithubService): string {
  const why = notRead();
  return why === '' ? ': no check that counts failed there.' : `. ${why}`;
}

interface Parts {
  readonly issue?: SourcedIssue | null;
  readonly thread?: Thread | null;
  readonly url?: string;
  readonly verdict?: string;
  readonly outcome?: string;
  readonly line: string;
  readonly summary?: string;
}

function toShown({
  issue = null,
  thread = null,
  url = '',
  verdict = '',
  outcome = '',
  line,
  summary,
}: Parts): ShownResult {
  const pull = thread?.record.pullRequest ?? null;
  const confidence = String(issue?.analysis.confidence ?? '');
  return {
    outputs: {
      outcome: issue?.analysis.outcome ?? outcome,
      confidence,
      verdict,
      'issue-url': url,
      'pull-request': pull === null || pull.number === 0 ? '' : pull.url,
    },
    summary: `${summary ?? line}\n`,
    line,
  };
}

interface Analysed {
  readonly project: GithubProject;
  /** Null: of a report, which has no place on GitHub. */
  readonly thread: Thread | null;
  readonly investigationId: string;
  /** Of the comment; "": there is none. */
  readonly url: string;
}

async function describeAnalysis(
  { services: { store }, notRead }: GithubService,
  { project, thread, investigationId, url }: Analysed,
): Promise<ShownResult> {
  const outcome = (await store.findInvestigation(investigationId))?.outcome;
  const issue = outcome?.state === 'concluded' ? await loadIssue(store, outcome.issueId) : null;
  if (issue === null) {
    const isEnded = outcome?.state === 'gave_up' || outcome?.state === 'cancelled';
    const line = isEnded
      ? describeForPeople(outcome.reason)
      : 'The analysis was not finished in this job: GitHub or the model had to be waited for. Run the job again.';
    return toShown({ thread, url, outcome: outcome?.state ?? '', line });
  }
  const changeSet = await store.findChangeSet(issue.id);
  // The export has only what was found; here people also want to know why it is no more.
  const why = renderReason(issue, NO_LINKS).text;
  const notes = [why, ...(thread === null ? [] : listPosted(thread, url)), notRead()].filter(Boolean);
  const markdown = toIssueMarkdown({ issue, project, changeSet, address: '' });
  const place = url === '' ? '' : ` ${url}`;
  const line = `${createIssueView(issue).headline}.${place}`;
  return toShown({ issue, thread, url, line, summary: [markdown.trimEnd(), ...notes].join('\n\n') });
}

/** What is on GitHub, or why it is not. */
function listPosted({ record, investigationId }: Thread, url: string): readonly string[] {
  const withheld = record.withheld?.investigationId === investigationId ? record.withheld.reason : null;
  const pull = record.pullRequest;
  return [
    url === '' ? '' : `Comment: <${url}>`,
    pull === null || pull.number === 0 ? '' : `Pull request: <${pull.url}>`,
    withheld === null ? '' : `No pull request was opened: ${describeWithheld(withheld)}`,
  ].filter(Boolean);
}

/** The leading finding is the first with an analysis, else the first that is red. */
async function describeHeadResult(service: GithubService, head: Head, signal: AbortSignal): Promise<ShownResult> {
  const { store } = service.services;
  const wanted = await service.showHead(head.id, signal);
  const url = head.record.checkRun?.url ?? '';
  const lead = head.findings.find(({ investigationId }) => investigationId !== null) ?? head.findings[0];
  const thread = lead?.threadId == null ? null : await store.findThread(lead.threadId);
  const ended =
    lead?.investigationId == null ? undefined : (await store.findInvestigation(lead.investigationId))?.outcome;
  const issue = ended?.state === 'concluded' ? await loadIssue(store, ended.issueId) : null;
  const texts = [
    ...(wanted === null
      ? head.findings.flatMap(({ reasons }) => reasons.map((reason) => `- ${describeReason(reason)}`))
      : [`## ${wanted.title}`, wanted.summary, wanted.text].filter(Boolean)),
    ...(url === '' ? [] : [`Check run: <${url}>`]),
  ];
  const line = wanted?.title ?? `${lead?.verdict ?? 'nothing'} at ${head.sha.slice(0, 7)}`;
  const shown = { issue, thread, url, verdict: lead?.verdict ?? '', line };
  return toShown({ ...shown, summary: texts.join('\n\n') });
}
