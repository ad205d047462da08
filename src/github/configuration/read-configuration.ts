// Reads a repository's configuration through GitHub's API, with its owner's as the fallback; cached for a minute.
import { LRUCache } from 'lru-cache';
import { type GithubProject, getRepository, isGithubProject } from '../../core/project/index.ts';
import type { ProjectStore } from '../../db/index.ts';
import type { Log } from '../../log.ts';
import { type GithubClients, GithubFailure } from '../clients/index.ts';
import { MAX_CONFIG_BYTES, makeUnreadableConfig, parseRepositoryConfig, TOO_LARGE } from './parse-repository-config.ts';
import { DEFAULT_CONFIG, type ReadConfig } from './repository-config.ts';

/** Where the file is, in a repository and in its owner's `.github`. */
export const CONFIG_FILE = '.github/causeway.yml';

export interface ConfigurationDeps {
  readonly clients: Pick<GithubClients, 'repository'>;
  readonly store: Pick<ProjectStore, 'findProject'>;
  readonly now: () => Date;
  readonly log: Log;
}

export interface ConfigurationReader {
  /** Throws GithubFailure where GitHub does not say: the caller's job tries again. */
  of(project: GithubProject, signal: AbortSignal): Promise<ReadConfig>;
  /**
   * The next `of` reads again: that repository's file changed. For an owner's `.github`, all that fall back on it
   * follow.
   */
  forget(projectId: string): void;
}

/** What one repository holds. `read` null: no such file, which is what lets the owner's apply. */
interface CachedFile {
  readonly etag: string;
  readonly read: ReadConfig | null;
}

const FRESH_MS = 60_000;
const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';

/** Reads through the clients of GitHub; `store` finds the owner's repository. */
export function createConfigurationReader(deps: ConfigurationDeps): ConfigurationReader {
  const cache = new LRUCache<string, CachedFile & { readonly name: string; readonly at: number }>({ max: 1_000 });
  let invalidations = 0;

  async function readFile(project: GithubProject, label: string, signal: AbortSignal): Promise<ReadConfig | null> {
    const cached = cache.get(project.id);
    // Another name is another repository's file until GitHub says so.
    const known = cached?.name === project.name ? cached : undefined;
    const at = deps.now().getTime();
    if (known && at - known.at < FRESH_MS) return known.read;
    const epoch = invalidations;
    const fetched = await fetchFile(deps.clients, { project, label, etag: known?.etag ?? '' }, signal);
    const fresh = fetched ?? known ?? { etag: '', read: null };
    // GitHub's answer may be older than an invalidation that happened meanwhile.
    if (epoch === invalidations) cache.set(project.id, { etag: fresh.etag, read: fresh.read, name: project.name, at });
    const line = fetched?.read?.problem?.line;
    if (line !== undefined) deps.log.info({ project: project.id, line }, 'a configuration file cannot be used');
    return fresh.read;
  }

  return {
    of: async (project, signal) => {
      const own = await readFile(project, CONFIG_FILE, signal);
      if (own !== null) return own;
      const owners = await findOwnersProject(deps, project);
      const fallback = owners && (await readFile(owners, `${owners.name}: ${CONFIG_FILE}`, signal));
      if (owners === null || fallback === null) return { config: DEFAULT_CONFIG, problem: null };
      // Paths belong to one repository, and neither those nor other repositories that a private file names may be shown.
      const config = { ...fallback.config, scopes: [], context: [] };
      return { ...fallback, config, heldBy: { projectId: owners.id, isPrivate: owners.source.isPrivate } };
    },
    forget: (projectId) => {
      invalidations += 1;
      cache.delete(projectId);
    },
  };
}

/** The owner's `.github` repository, where the App may read it. */
async function findOwnersProject({ store }: ConfigurationDeps, project: GithubProject): Promise<GithubProject | null> {
  const found = await store.findProject(`${getRepository(project).owner}/.github`);
  if (found === null || found.id === project.id || !isGithubProject(found)) return null;
  return found.source.installationId === project.source.installationId ? found : null;
}

/** Null: unchanged since the ETag. Throws GithubFailure. */
async function fetchFile(
  clients: ConfigurationDeps['clients'],
  { project, label, etag }: { readonly project: GithubProject; readonly label: string; readonly etag: string },
  signal: AbortSignal,
): Promise<CachedFile | null> {
  const place = { ...getRepository(project), path: CONFIG_FILE };
  const headers = etag === '' ? {} : { 'if-none-match': etag };
  try {
    const answer = await clients
      .repository(project.source, 'read')
      .call(({ rest }, request) => rest.repos.getContent({ ...place, headers, request }), signal);
    return { read: parseContent(answer.data, label), etag: answer.headers.etag ?? '' };
  } catch (error) {
    // Only an answer about the file itself counts: a token that could not be had may fail with the same status.
    if (!(error instanceof GithubFailure) || error.route !== CONTENTS) throw error;
    if (error.status === 304) return null;
    if (error.status === 404) return { read: null, etag: '' };
    throw error;
  }
}

function parseContent(data: object, label: string): ReadConfig {
  const { type, size, encoding, content } = data as Readonly<Record<string, unknown>>;
  // A folder is listed, and has no type of its own.
  if (type !== 'file') return makeUnreadableConfig(label, 'It is a folder or a link, not an ordinary file.');
  if (Number(size) > MAX_CONFIG_BYTES) return makeUnreadableConfig(label, TOO_LARGE);
  if (encoding !== 'base64' || typeof content !== 'string') return makeUnreadableConfig(label, 'It is not text.');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(content, 'base64'));
    return parseRepositoryConfig(text, label);
  } catch {
    return makeUnreadableConfig(label, 'The file is not UTF-8. Save it as UTF-8.');
  }
}
