// Reads one file of a repository's default branch through GitHub's API, with the ETag of the last read.
import { type GithubCaller, GithubFailure } from '../clients/github-clients.ts';
import { MAX_CONFIG_BYTES, TOO_LARGE } from './parse-repository-config.ts';

/** Where the file is, in a repository and in its owner's `.github`. */
export const CONFIG_FILE = '.github/causeway.yml';

const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';

export interface WantedFile {
  readonly owner: string;
  readonly repo: string;
  readonly path: string;
  /** "": not asked for before. */
  readonly etag: string;
}

export type FetchedConfig =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'absent'; readonly etag: string }
  | { readonly kind: 'text'; readonly text: string; readonly etag: string }
  /** There, but no text of a sensible size; in words for a person. */
  | { readonly kind: 'unusable'; readonly message: string; readonly etag: string };

/** Throws GithubFailure. */
export function fetchConfig(caller: GithubCaller, wanted: WantedFile, signal: AbortSignal): Promise<FetchedConfig> {
  const { owner, repo, path, etag } = wanted;
  return caller.call(async (octokit, options) => {
    try {
      const headers = etag === '' ? {} : { 'if-none-match': etag };
      const answer = await octokit.rest.repos.getContent({ owner, repo, path, headers, request: options });
      return { ...contentOf(answer.data), etag: answer.headers.etag ?? '' };
    } catch (error) {
      const status = contentStatus(error);
      if (status === 304 && etag !== '') return { kind: 'unchanged' };
      if (status === 404) return { kind: 'absent', etag: '' };
      throw error;
    }
  }, signal);
}

type Content = Readonly<Record<string, unknown>> | readonly unknown[];
type Found = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'unusable'; readonly message: string };

function contentOf(data: Content): Found {
  if (Array.isArray(data)) return { kind: 'unusable', message: 'It is a folder, not a file.' };
  const { type, size, encoding, content } = data as Readonly<Record<string, unknown>>;
  if (type !== 'file') return { kind: 'unusable', message: 'It is not an ordinary file.' };
  if (Number(size) > MAX_CONFIG_BYTES) {
    return { kind: 'unusable', message: TOO_LARGE };
  }
  if (encoding !== 'base64' || typeof content !== 'string') return { kind: 'unusable', message: 'It is not text.' };
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(content, 'base64')) };
  } catch {
    return { kind: 'unusable', message: 'The file is not UTF-8. Save it as UTF-8.' };
  }
}

/** The status of GitHub's answer about the file itself: a token that could not be had may fail with the same status. */
function contentStatus(error: unknown): number | null {
  return error instanceof GithubFailure && error.route === CONTENTS ? error.status : null;
}
