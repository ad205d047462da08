// Routes of refs: branches and tags are read, made, moved and deleted.
import { moveRef } from '../deeds/pulls.ts';
import { isReachable, listRefs, objectType, type Ref } from '../git/read-objects.ts';
import { refBody } from '../resources/repository.ts';
import {
  type Answer,
  actorId,
  asText,
  forbidden,
  noContent,
  notFound,
  ofRepository,
  ok,
  type RepositoryCall,
  type Route,
  refused,
} from '../route.ts';
import { bringsWorkflows, mayWriteWorkflows } from '../workflows.ts';

const READ = [{ contents: 'read' }] as const;
const WRITE = [{ contents: 'write' }] as const;

export const refRoutes: readonly Route[] = [
  ofRepository('GET /git/ref/{ref}', READ, async (call) => {
    const found = await refOf(call);
    return found === undefined ? notFound() : ok(refBody(call.state, call.repository, found));
  }),
  ofRepository('GET /git/matching-refs/{ref}', READ, async (call) => {
    const refs = await listRefs(call.repository.gitDir, `refs/${call.params['ref']}`);
    return ok(refs.map((one) => refBody(call.state, call.repository, one)));
  }),
  ofRepository('POST /git/refs', WRITE, makeRef),
  ofRepository('PATCH /git/refs/{ref}', WRITE, updateRef),
  ofRepository('DELETE /git/refs/{ref}', WRITE, async (call) => {
    const found = await refOf(call);
    if (found === undefined) return refused(422, 'Reference does not exist');
    await moveRef(call.state, call.repository, { ref: found.name, from: found.sha, to: null }, actorId(call.caller));
    return noContent();
  }),
];

async function refOf(call: RepositoryCall): Promise<Ref | undefined> {
  const name = `refs/${call.params['ref']}`;
  return (await listRefs(call.repository.gitDir)).find((one) => one.name === name);
}

async function makeRef(call: RepositoryCall): Promise<Answer> {
  const { repository, state, body } = call;
  const [ref, sha] = [asText(body['ref']) ?? '', asText(body['sha']) ?? ''];
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
  const sha = asText(body['sha']) ?? '';
  const type = await objectType(repository.gitDir, sha);
  if (type === null) return refused(422, 'Object does not exist');
  if (!mayWriteWorkflows(call.caller) && (await bringsWorkflows(repository.gitDir, sha))) return forbidden();
  const forward = await isReachable(repository.gitDir, found.sha, sha);
  if (!forward && body['force'] !== true) return refused(422, 'Update is not a fast forward');
  if (found.sha !== sha)
    await moveRef(state, repository, { ref: found.name, from: found.sha, to: sha }, actorId(call.caller));
  return ok(refBody(state, repository, { ...found, sha, type }));
}
