// A label or a command becomes an accepted report: its sender is checked, its content is pinned, and stored once.

import { type GithubProject, getRepository, isAtLeast, type Person, type Role } from '../../core/project/index.ts';
import { formatGuidance } from '../../core/report/index.ts';
import { createThreadId } from '../../core/thread/index.ts';
import { acceptReport } from '../../services/index.ts';
import { type CommentPayload, type GithubUser, type IssuePayload, isBot, isOurs, toPerson } from '../clients/index.ts';
import { includesLabel, investigationSettings } from '../configuration/index.ts';
import { gatherIssueReport, gatherPullRequestReport } from '../report/index.ts';
import type { CausewayAppDeps, EventHandler } from './app-deps.ts';
import { isKnownLabel, noteKnownLabel } from './known-label.ts';
import { addReaction, type EventSubject, replyToCommand, reportConfigProblem } from './replies.ts';
import { isClosedWithAnswer, offerCommands } from './standing.ts';

/** A request for an analysis, as the delivery shows it: later edits are not read. */
export interface AnalysisRequest extends EventSubject {
  readonly deliveryId: string;
  readonly issue: IssuePayload;
  readonly comment: CommentPayload | null;
  /** True: an equal report is investigated again. */
  readonly fresh: boolean;
  /** True: a pull request is requested explicitly. */
  readonly isForFix?: boolean;
}

/**
 * GitHub redelivers for 3 days, and we try for 7 where GitHub names a time; that a delivery was seen is remembered for
 * 30. Anything older can only be a copy, the row of which may be gone.
 */
const MAX_AGE_MS = 14 * 24 * 60 * 60 * 1_000;

export const onIssueLabeled: EventHandler<'issues.labeled'> = async (deps, { id, payload }, signal) => {
  const { issue, label, sender } = payload;
  const by = toPerson(sender);
  // Pull requests have labels too, and they arrive under another event.
  if (by === null || isBot(sender) || 'pull_request' in issue) return;
  if (isOurs(await deps.clients.identity(signal), { user: sender })) return;
  if (isTooOld(deps, issue.updated_at, id)) return;
  const project = await findProject(deps, payload, signal);
  if (project === null) return;
  const isKnown = isKnownLabel(label?.name);
  if (isKnown && deps.memory !== 'github' && (await readTriageRole(deps, { project, by }, signal)) !== null) {
    await noteKnownLabel(deps, project, issue);
  }
  const configuration = await deps.configuration.of(project, signal);
  if (!includesLabel(configuration.config.labels, label?.name ?? '')) return;
  const role = await readTriageRole(deps, { project, by }, signal);
  if (role === null) return;
  if (!(await isStillLabelled(deps, { project, issue, labels: configuration.config.labels }, signal))) {
    deps.log.info({ delivery: id, project: project.id }, 'the label was removed before its delivery arrived');
    return;
  }
  const trigger = { kind: 'label', by, role, commentId: null, guidance: '', at: issue.updated_at } as const;
  const subject = { kind: 'issue', number: issue.number } as const;
  const request = { deliveryId: id, project, configuration, subject, trigger, issue, comment: null, fresh: false };
  await startAnalysis(deps, request, signal);
};

/** As GitHub sends it, with the issue or pull request that an input names, as it is now. */
interface StartedByHand {
  readonly id: string;
  readonly payload: InRepository & { readonly issue?: IssuePayload; readonly sender: GithubUser };
}

/** A workflow was started by hand for an issue or a pull request: what the label does there, whether it is set or not. */
export async function onWorkflowDispatched(
  deps: CausewayAppDeps,
  { id, payload }: StartedByHand,
  signal: AbortSignal,
): Promise<void> {
  const { issue, sender } = payload;
  const by = toPerson(sender);
  if (issue === undefined || by === null || isBot(sender)) return;
  if (isOurs(await deps.clients.identity(signal), { user: sender })) return;
  const project = await findProject(deps, payload, signal);
  if (project === null) return;
  const role = await readTriageRole(deps, { project, by }, signal);
  if (role === null) return;
  const configuration = await deps.configuration.of(project, signal);
  // The event has no time. Everything in an issue that was just read was there before, whatever our clock says.
  const now = deps.now();
  const at = Date.parse(issue.updated_at) > now.getTime() ? issue.updated_at : now.toISOString();
  const trigger = { kind: 'label', by, role, commentId: null, guidance: '', at } as const;
  const subject = { kind: issue.pull_request ? 'pull_request' : 'issue', number: issue.number } as const;
  const request = { deliveryId: id, project, configuration, subject, trigger, issue, comment: null, fresh: false };
  await startAnalysis(deps, request, signal);
}

/** Throws GithubFailure where what belongs to the report could not be read; nothing has been accepted then. */
export async function startAnalysis(
  deps: CausewayAppDeps,
  request: AnalysisRequest,
  signal: AbortSignal,
): Promise<void> {
  const { subject, project, configuration, deliveryId, fresh } = request;
  const trigger = request.isForFix === true ? { ...request.trigger, isForFix: true } : request.trigger;
  const isIssue = subject.kind === 'issue';
  if (!fresh && (await isClosedWithAnswer(deps, request))) {
    const offer = await offerCommands(deps, request, signal);
    return await replyToCommand(deps, request, { code: 'closed', offer }, signal);
  }
  // The 👀 first: reading what belongs to the report may take longer.
  const isSeen = isIssue && (await addReaction(deps, request, 'eyes', signal));
  await reportConfigProblem(deps, request, signal);
  const gathered = isIssue
    ? await gatherIssueReport(deps, request, signal)
    : await gatherPullRequestReport(deps, request, signal);
  if (gathered === null) {
    if (request.comment !== null) await replyToCommand(deps, request, { code: 'nothing_failed' }, signal);
    return;
  }
  signal.throwIfAborted();
  const { login, id: githubId } = trigger.by;
  const signingSecret = deps.newSigningSecret();
  const account = await deps.store.ensureAccount({ login, githubId, signingSecret, now: deps.now().toISOString() });
  const report = {
    projectId: project.id,
    accountId: account.id,
    origin: isIssue ? 'github-issue' : 'check-run',
    text: gathered.text,
    guidance: gathered.hints + formatGuidance(trigger.by.login, trigger.guidance),
    reference: `${project.name}#${subject.number}`,
    revision: gathered.revision,
    callbackUrl: '',
    isTrusted: gathered.isTrusted,
    settings: investigationSettings(configuration.config, deps, {
      labels: (request.issue.labels ?? []).map(({ name }) => name),
    }),
    fresh,
  } as const;
  await acceptReport(deps, report, {
    // The delivery, not the text, makes it unique: read a second time, the text may have changed.
    idempotency: { key: `delivery ${deliveryId}`, bodyHash: deliveryId },
    thread: {
      ...({
        kind: 'opens',
        threadId: createThreadId(deps.memory, project, subject),
        subject,
        trigger,
        isSeen,
      } as const),
      fixRequest: findFixRequest(request),
    },
  });
}

/**
 * Who has write asks for the pull request with the label or command; for one on top of another pull request only
 * explicitly.
 */
function findFixRequest({ subject, trigger, isForFix = false }: AnalysisRequest): Person | null {
  const isMeant = subject.kind === 'issue' || isForFix;
  return isMeant && isAtLeast(trigger.role, 'write') ? trigger.by : null;
}

/**
 * The role of a person who has triage or more in the repository now; null for all others. It is read from GitHub:
 * neither an author's association nor a label proves anything.
 */
export async function readTriageRole(
  { permissions, log }: CausewayAppDeps,
  { project, by }: { readonly project: GithubProject; readonly by: Person },
  signal: AbortSignal,
): Promise<Role | null> {
  const role = await permissions.roleOfPerson(by, project, signal);
  if (isAtLeast(role, 'triage')) return role;
  log.info({ project: project.id, personId: by.id, role }, 'an analysis was requested without triage: ignored');
  return null;
}

interface InRepository {
  readonly repository: { readonly id: number; readonly full_name: string };
  readonly installation?: { readonly id: number } | null | undefined;
}

/**
 * The project of the event's repository, even if the event overtook the news of its installation or name; null where
 * GitHub lists none.
 */
export async function findProject(
  { store, projects }: CausewayAppDeps,
  { repository, installation }: InRepository,
  signal: AbortSignal,
): Promise<GithubProject | null> {
  const known = await store.findProjectOfRepository(repository.id);
  const isCurrent = known?.name.toLowerCase() === repository.full_name.toLowerCase();
  if (isCurrent || !installation) return known;
  await projects.repositoryChanged(repository.id, installation.id, signal);
  return await store.findProjectOfRepository(repository.id);
}

/** Whether the event, which happened `at`, is so long past that it can only be a copy. */
export function isTooOld({ now, log }: CausewayAppDeps, at: string, delivery: string): boolean {
  if (now().getTime() - Date.parse(at) <= MAX_AGE_MS) return false;
  log.warn({ delivery, at }, 'a delivery is about something long past: ignored');
  return true;
}

interface LabelledIssue {
  readonly project: GithubProject;
  readonly issue: IssuePayload;
  readonly labels: readonly string[];
}

/** A delivery can arrive hours late. If the label was removed in the meantime, the analysis is no longer wanted. */
async function isStillLabelled(
  { clients }: CausewayAppDeps,
  { project, issue, labels }: LabelledIssue,
  signal: AbortSignal,
): Promise<boolean> {
  const place = { ...getRepository(project), issue_number: issue.number };
  const { data } = await clients
    .repository(project.source, 'read')
    .call(({ rest }, request) => rest.issues.get({ ...place, request }), signal);
  // Reads can lag behind webhooks: an answer older than the event does not know of a later removal.
  if (Date.parse(data.updated_at) < Date.parse(issue.updated_at)) return true;
  return data.labels.some((label) => includesLabel(labels, typeof label === 'string' ? label : (label.name ?? '')));
}
