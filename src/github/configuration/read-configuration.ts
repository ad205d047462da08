// Reads a repository's configuration through GitHub's API, with its owner's as the fallback; kept for a minute and asked for conditionally.
import { type GithubProject, getRepository, isGithubProject } from '../../core/project.ts';
import type { ProjectStore } from '../../db/store.ts';
import type { Log } from '../../log.ts';
import type { GithubClients } from '../clients/github-clients.ts';
import { CONFIG_FILE, type FetchedConfig, fetchConfig } from './fetch-config.ts';
import { parseRepositoryConfig, unreadableConfig } from './parse-repository-config.ts';
import { DEFAULT_CONFIG, type ReadConfig } from './repository-config.ts';

export interface ConfigurationDeps {
  readonly clients: Pick<GithubClients, 'repository'>;
  readonly store: Pick<ProjectStore, 'findProject'>;
  readonly now: () => Date;
  readonly log: Log;
}

export interface ConfigurationReader {
  /** Throws GithubFailure where GitHub does not say: the caller's job tries again. */
  of(project: GithubProject, signal: AbortSignal): Promise<ReadConfig>;
  /** The next `of` reads anew: that repository's file changed. For an owner's `.github`, all that fall back on it follow. */
  forget(projectId: string): void;
}

/** What one repository holds. Null: no such file, which is what lets the owner's apply. */
interface Kept {
  readonly name: string;
  readonly etag: string;
  readonly read: ReadConfig | null;
  readonly at: number;
}

const FRESH_MS = 60_000;
const MOST_KEPT = 1_000;

export function createConfigurationReader(deps: ConfigurationDeps): ConfigurationReader {
  const kept = new Map<string, Kept>();
  let forgotten = 0;

  async function fileOf(project: GithubProject, label: string, signal: AbortSignal): Promise<ReadConfig | null> {
    const known = knownOf(project);
    const at = deps.now().getTime();
    if (known && at - known.at < FRESH_MS) return known.read;
    const epoch = forgotten;
    const caller = deps.clients.repository(project.source, 'read');
    const wanted = { ...getRepository(project), path: CONFIG_FILE, etag: known?.etag ?? '' };
    const answer = await fetchConfig(caller, wanted, signal);
    const fresh = answer.kind === 'unchanged' && known ? known : { etag: etagOf(answer), read: readOf(answer, label) };
    // What was forgotten while GitHub answered may be what it answered with.
    if (epoch === forgotten) keep(project, { etag: fresh.etag, read: fresh.read, at });
    const line = fresh.read?.problem?.line;
    if (line !== undefined && fresh !== known)
      deps.log.info({ project: project.id, line }, 'a configuration file cannot be used');
    return fresh.read;
  }

  /** Another name is another repository's file until GitHub says so. */
  function knownOf({ id, name }: GithubProject): Kept | undefined {
    const known = kept.get(id);
    return known?.name === name ? known : undefined;
  }

  function keep(project: GithubProject, entry: Omit<Kept, 'name'>): void {
    kept.delete(project.id);
    kept.set(project.id, { name: project.name, ...entry });
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  }

  return {
    of: async (project, signal) => {
      const own = await fileOf(project, CONFIG_FILE, signal);
      if (own !== null) return own;
      const owners = await ownersProject(deps, project);
      const fallback = owners === null ? null : await fileOf(owners, `${owners.name}: ${CONFIG_FILE}`, signal);
      if (owners === null || fallback === null) return { config: DEFAULT_CONFIG, problem: null };
      return { ...fallback, heldBy: { projectId: owners.id, isPrivate: owners.source.isPrivate } };
    },
    forget: (projectId) => {
      forgotten += 1;
      kept.delete(projectId);
    },
  };
}

/** The owner's `.github` repository, where the App may read it. */
async function ownersProject({ store }: ConfigurationDeps, project: GithubProject): Promise<GithubProject | null> {
  const found = await store.findProject(`${getRepository(project).owner}/.github`);
  if (found === null || found.id === project.id || !isGithubProject(found)) return null;
  return found.source.installationId === project.source.installationId ? found : null;
}

function etagOf(answer: FetchedConfig): string {
  return answer.kind === 'unchanged' ? '' : answer.etag;
}

function readOf(answer: FetchedConfig, label: string): ReadConfig | null {
  switch (answer.kind) {
    case 'absent':
    case 'unchanged':
      return null;
    case 'unusable':
      return unreadableConfig(label, answer.message);
    case 'text':
      return parseRepositoryConfig(answer.text, label);
  }
}
