// One comment about a configuration file that cannot be understood: once for each state of the file.
import { repositoryOf } from '../../domain/project.ts';
import type { ConfigProblem } from '../configuration/repository-config.ts';
import { configComplaint } from '../render/config-complaint.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import type { Wish } from './begin-analysis.ts';
import { mayPost } from './may-post.ts';

type ComplainDeps = Pick<CausewayAppDeps, 'clients' | 'ceiling' | 'paused' | 'webUrl' | 'log'>;
type Spot = Pick<Wish, 'project' | 'configuration' | 'subject' | 'trigger'>;

const LATEST = 100;

/**
 * Looks among the repository's latest comments for its own marker before it writes, so that neither a crash nor a second delivery makes two.
 * The analysis goes on with the safe defaults; a complaint that GitHub refuses is not worth failing it.
 */
export async function complainOnce(deps: ComplainDeps, spot: Spot, signal: AbortSignal): Promise<void> {
  const { problem, config } = spot.configuration;
  if (problem === null || !mayPost(deps, config)) return;
  const marker = markerOf(problem);
  try {
    if (!(await stands(deps, spot, marker, signal))) await write(deps, spot, { problem, marker }, signal);
  } catch (error) {
    signal.throwIfAborted();
    deps.log.warn({ err: error, project: spot.project.id }, 'the fault in a configuration file could not be told');
  }
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
  { project, subject, trigger }: Spot,
  { problem, marker }: { readonly problem: ConfigProblem; readonly marker: string },
  signal: AbortSignal,
): Promise<void> {
  const body = configComplaint(problem, {
    repository: project.name,
    webUrl: deps.webUrl,
    isPublic: !project.source.isPrivate,
    subject,
    marker,
    askedBy: trigger.by.login,
  });
  await deps.clients
    .repository(project.source, 'talk')
    .call(
      (octokit, request) =>
        octokit.rest.issues.createComment({ ...repositoryOf(project), issue_number: subject.number, body, request }),
      signal,
    );
}
