// One comment about a configuration file that cannot be understood: once for each state of the file, in the repository that asks first.
import { repositoryOf } from '../../core/project.ts';
import type { ConfigProblem } from '../configuration/repository-config.ts';
import { createInTurn } from '../projects/in-turn.ts';
import { renderConfigComplaint } from '../render/comment.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import type { Wish } from './begin-analysis.ts';
import { mayPost } from './may-post.ts';

type ComplainDeps = Pick<
  CausewayAppDeps,
  'clients' | 'store' | 'redactor' | 'ceiling' | 'paused' | 'webUrl' | 'log' | 'now'
>;
type Spot = Pick<Wish, 'project' | 'configuration' | 'subject' | 'trigger'>;

const LATEST = 100;

/** Two subjects may find the same fault at the same moment; of an owner's file, in two repositories of one installation. */
const inTurn = createInTurn();

/**
 * What was told is remembered, however much is said in the repository since. Before it writes it looks among the repository's latest comments
 * for its own marker all the same, so that a crash between the two does not make two. The owner's file is one file: it is complained of
 * where it is met first, and not in every repository that it holds in. The analysis goes on with the safe defaults; a complaint that GitHub
 * refuses is not worth failing it.
 */
export async function complainOnce(deps: ComplainDeps, spot: Spot, signal: AbortSignal): Promise<void> {
  const { problem, config } = spot.configuration;
  if (problem === null || !mayPost(deps, config)) return;
  try {
    const { installationId } = spot.project.source;
    if (!(await isTold(deps, spot, problem))) {
      await inTurn(installationId, signal, () => complain(deps, spot, problem, signal));
    }
  } catch (error) {
    signal.throwIfAborted();
    deps.log.warn({ err: error, project: spot.project.id }, 'the fault in a configuration file could not be told');
  }
}

function isTold({ store }: ComplainDeps, { project, configuration }: Spot, { digest }: ConfigProblem) {
  return store.wasTold(configuration.heldBy?.projectId ?? project.id, digest);
}

async function complain(deps: ComplainDeps, spot: Spot, problem: ConfigProblem, signal: AbortSignal): Promise<void> {
  if (await isTold(deps, spot, problem)) return;
  const marker = markerOf(problem);
  if (!(await stands(deps, spot, marker, signal))) await write(deps, spot, { problem, marker }, signal);
  const heldBy = spot.configuration.heldBy?.projectId ?? spot.project.id;
  await deps.store.rememberTold(heldBy, problem.digest, deps.now().toISOString());
}

/** The digest is ours; it is held to its form since it becomes part of a comment. */
function markerOf({ digest }: ConfigProblem): string {
  return `<!-- causeway:configuration ${digest.replace(/[^0-9A-Za-z]/g, '').slice(0, 64)} -->`;
}

async function stands(deps: ComplainDeps, { project }: Spot, marker: string, signal: AbortSignal): Promise<boolean> {
  const { botId } = await deps.clients.identity(signal);
  const { data } = await deps.clients.repository(project.source, 'read').call(
    (octokit, request) =>
      octokit.rest.issues.listCommentsForRepo({
        ...repositoryOf(project),
        sort: 'created',
        direction: 'desc',
        per_page: LATEST,
        request,
      }),
    signal,
  );
  return data.some(({ user, body }) => user?.id === botId && body?.includes(marker));
}

async function write(
  deps: ComplainDeps,
  { project, subject, trigger, configuration }: Spot,
  { problem, marker }: { readonly problem: ConfigProblem; readonly marker: string },
  signal: AbortSignal,
): Promise<void> {
  // What stands in a file of another repository is not everybody's to read.
  const isForeign = configuration.heldBy !== undefined && !project.source.isPrivate;
  const told = isForeign ? { ...problem, message: 'What stands there cannot be used.' } : problem;
  const text = renderConfigComplaint(told, {
    repository: project.name,
    webUrl: deps.webUrl,
    isPublic: !project.source.isPrivate,
    subject,
    marker,
    askedBy: trigger.by.login,
  });
  const body = await deps.redactor.redact(text);
  await deps.clients
    .repository(project.source, 'talk')
    .call(
      (octokit, request) =>
        octokit.rest.issues.createComment({ ...repositoryOf(project), issue_number: subject.number, body, request }),
      signal,
    );
}
