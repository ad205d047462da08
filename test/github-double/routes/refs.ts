// Routes of refs: branches and tags are read, made, moved and deleted.
import { moveRef } from '../deeds/pulls.ts';
import { isAncestor, objectType, type Ref, readRefs } from '../git/read-objects.ts';
import { gitText } from '../git/run-git.ts';
import { fullName, timestamp } from '../lookup.ts';
import { refBody } from '../resources/repository.ts';
import { nodeId } from '../resources/user.ts';
import {
  type Answer,
  actorId,
  forbidden,
  noContent,
  notFound,
  ofRepository,
  ok,
  type RepositoryCall,
  type Route,
  refused,
  text,
} from '../route.ts';
import { bringsWorkflows, mayWriteWorkflows } from '../workflows.ts';
import { noreply } from './git-data.ts';

const READ = [{ contents: 'read' }] as const;
const WRITE = [{ contents: 'write' }] as const;

export const refRoutes: readonly Route[] = [
  ofRepository('GET /git/ref/{ref}', READ, async (call) => {
    const found = await refOf(call);
    return found === undefined ? notFound() : ok(refBody(call.state, call.repository, found));
  }),
  ofRepository('GET /git/matching-refs/{ref}', READ, async (call) => {
    const refs = await readRefs(call.repository.gitDir, `refs/${call.params['ref']}`);
    return ok(refs.map((one) => refBody(call.state, call.repository, one)));
  }),
  ofRepository('POST /git/refs', WRITE, makeRef),
  ofRepository('PATCH /git/refs/{ref}', WRITE, updateRef),
  ofRepository('DELETE /git/refs/{ref}', WRITE, async (call) => {
    const found = await refOf(call);
    if (found === undefined) return refused(422, 'Reference does not exist');
    const move = { ref: found.name, from: found.sha, to: null };
    await moveRef(call.state, call.repository, move, actorId(call.caller));
    return noContent();
  }),
  ofRepository('POST /git/tags', WRITE, makeTag),
  ofRepository('GET /git/tags/{tag_sha}', READ, async (call) => {
    const sha = call.params['tag_sha'] ?? '';
    return (await objectType(call.repository.gitDir, sha)) === 'tag' ? ok(await tagBody(call, sha)) : notFound();
  }),
];

async function refOf(call: RepositoryCall): Promise<Ref | undefined> {
  const name = `refs/${call.params['ref']}`;
  return (await readRefs(call.repository.gitDir)).find((one) => one.name === name);
}

async function makeRef(call: RepositoryCall): Promise<Answer> {
  const { repository, state, body } = call;
  const [ref, sha] = [text(body['ref']) ?? '', text(body['sha']) ?? ''];
  if (!/^refs\/[^/]+\/.+/.test(ref))
    return refused(422, `Reference name must start with 'refs' and have at least two slashes.`);
  const type = await objectType(repository.gitDir, sha);
  if (type === null) return refused(422, 'Object does not exist');
  if (!mayWriteWorkflows(call.caller) && (await bringsWorkflows(repository.gitDir, sha))) return forbidden();
  try {
    await moveRef(state, repository, { ref, from: null, to: sha }, actorId(call.caller));
  } catch (error) {
    return refused(
      422,
      String(error).includes('not a valid') ? `${ref} is not a valid ref name.` : 'Reference already exists',
    );
  }
  return ok(refBody(state, repository, { name: ref, sha, type }), 201);
}

async function updateRef(call: RepositoryCall): Promise<Answer> {
  const { repository, state, body } = call;
  const found = await refOf(call);
  if (found === undefined) return refused(422, 'Reference does not exist');
  const sha = text(body['sha']) ?? '';
  const type = await objectType(repository.gitDir, sha);
  if (type === null) return refused(422, 'Object does not exist');
  if (!mayWriteWorkflows(call.caller) && (await bringsWorkflows(repository.gitDir, sha))) return forbidden();
  const forward = await isAncestor(repository.gitDir, found.sha, sha);
  if (!forward && body['force'] !== true) return refused(422, 'Update is not a fast forward');
  if (found.sha !== sha)
    await moveRef(state, repository, { ref: found.name, from: found.sha, to: sha }, actorId(call.caller));
  return ok(refBody(state, repository, { ...found, sha, type }));
}

/** The object alone: GitHub makes no ref for it either. */
async function makeTag(call: RepositoryCall): Promise<Answer> {
  const { body, repository } = call;
  const [object, type] = [text(body['object']) ?? '', text(body['type']) ?? 'commit'];
  if ((await objectType(repository.gitDir, object)) !== type) return refused(422, 'Object does not exist');
  const { name, email } = noreply(call);
  const seconds = Math.trunc(Date.parse(timestamp(call.state)) / 1_000);
  const input = `object ${object}\ntype ${type}\ntag ${text(body['tag'])}\ntagger ${name} <${email}> ${seconds} +0000\n\n${text(body['message'])}\n`;
  return ok(await tagBody(call, await gitText(repository.gitDir, ['mktag'], { input })), 201);
}

async function tagBody(call: RepositoryCall, sha: string) {
  const { state, repository } = call;
  const raw = await gitText(repository.gitDir, ['cat-file', 'tag', sha]);
  const line = (key: string) => new RegExp(`^${key} (.*)$`, 'm').exec(raw)?.[1] ?? '';
  const tagger = /^(.*) <(.*)> (\d+)/.exec(line('tagger'));
  const api = `${state.urls.api}/repos/${fullName(state, repository)}/git`;
  return {
    node_id: nodeId('REF', repository.id, sha),
    sha,
    url: `${api}/tags/${sha}`,
    tag: line('tag'),
    message: raw.slice(raw.indexOf('\n\n') + 2),
    tagger: {
      name: tagger?.[1] ?? '',
      email: tagger?.[2] ?? '',
      date: new Date(Number(tagger?.[3] ?? 0) * 1_000).toISOString().replace('.000', ''),
    },
    object: { sha: line('object'), type: line('type'), url: `${api}/${line('type')}s/${line('object')}` },
    verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
  };
}
