// Routes of a repository's content: files, folders, branches.
import { entryAt, type GitEntry, listRefs, readBlob, readTree, resolveCommit } from '../git/read-objects.ts';
import { fullName } from '../lookup.ts';
import { type Answer, notFound, ofRepository, ok, type RepositoryCall, type Route, refused } from '../route.ts';

const READ = [{ contents: 'read' }] as const;
/** Above it a file comes without its content. */
const LARGEST_INLINE = 1024 * 1024;

export const contentRoutes: readonly Route[] = [
  ofRepository('GET /contents/{path}', READ, contents),
  ofRepository('GET /contents', READ, contents),
];

function apiOf(call: RepositoryCall): string {
  return `${call.state.urls.api}/repos/${fullName(call.state, call.repository)}`;
}

async function contents(call: RepositoryCall): Promise<Answer> {
  const { gitDir, defaultBranch } = call.repository;
  const path = (call.params['path'] ?? '').replace(/^\/+|\/+$/g, '');
  const ref = call.url.searchParams.get('ref') ?? defaultBranch;
  const commit = await resolveCommit(gitDir, ref);
  if (commit === null) {
    const isEmpty = (await listRefs(gitDir, 'refs/heads/')).length === 0;
    return isEmpty ? refused(404, 'This repository is empty.') : refused(404, `No commit found for the ref ${ref}`);
  }
  const entry = await entryAt(gitDir, commit, path);
  if (entry === null) return notFound();
  if (entry.type === 'tree') return folder(call, { commit, ref, path, entry });
  if (entry.type === 'commit')
    return ok({ ...common(call, entry, { ref, path }), type: 'submodule', submodule_git_url: null });
  return file(call, { ref, path, entry });
}

interface ContentPlace {
  readonly ref: string;
  readonly path: string;
}

async function folder(call: RepositoryCall, at: ContentPlace & { commit: string; entry: GitEntry }): Promise<Answer> {
  const entries = (await readTree(call.repository.gitDir, at.entry.sha, false)) ?? [];
  const listed = entries.slice(0, 1_000).map((entry) => {
    const path = at.path === '' ? entry.path : `${at.path}/${entry.path}`;
    return { ...common(call, entry, { ref: at.ref, path }), type: typeOf(entry) };
  });
  return ok(listed);
}

async function file(call: RepositoryCall, at: ContentPlace & { entry: GitEntry }): Promise<Answer> {
  const blob = await readBlob(call.repository.gitDir, at.entry.sha);
  const accept = call.headers['accept'] ?? '';
  if (/\braw\b/.test(accept))
    return {
      status: 200,
      body: blob.toString('utf8'),
      headers: { 'content-type': 'application/vnd.github.raw+json; charset=utf-8' },
    };
  const isInline = blob.length <= LARGEST_INLINE;
  return ok({
    ...common(call, at.entry, at),
    type: at.entry.mode === '120000' ? 'symlink' : 'file',
    encoding: isInline ? 'base64' : 'none',
    content: isInline ? lines(blob.toString('base64')) : '',
    ...(at.entry.mode === '120000' ? { target: blob.toString('utf8') } : {}),
  });
}

/** Base64 as GitHub breaks it: 60 characters a line. */
function lines(base64: string): string {
  return base64.replace(/.{1,60}/g, '$&\n');
}

function typeOf(entry: GitEntry): string {
  if (entry.mode === '120000') return 'symlink';
  if (entry.type === 'commit') return 'submodule';
  return entry.type === 'tree' ? 'dir' : 'file';
}

function common(call: RepositoryCall, entry: GitEntry, { ref, path }: ContentPlace) {
  const written = path.split('/').map(encodeURIComponent).join('/');
  const self = `${apiOf(call)}/contents/${written}?ref=${encodeURIComponent(ref)}`;
  const kind = entry.type === 'tree' ? 'tree' : 'blob';
  const git = `${apiOf(call)}/git/${kind}s/${entry.sha}`;
  const html = `${call.state.urls.web}/${fullName(call.state, call.repository)}/${kind}/${ref}/${written}`;
  const isFile = entry.type === 'blob';
  return {
    name: path.split('/').at(-1) ?? '',
    path,
    sha: entry.sha,
    size: entry.size ?? 0,
    url: self,
    html_url: html,
    git_url: git,
    download_url: isFile ? html.replace('/blob/', '/raw/') : null,
    _links: { self, git, html },
  };
}
