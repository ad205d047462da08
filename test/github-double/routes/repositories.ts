// Routes of repositories themselves: what they are, their labels, and what a person may do there.

import { effectivePermissions } from '../access.ts';
import { ensureLabel } from '../deeds/issues.ts';
import { accountByLogin } from '../lookup.ts';
import { labelBody } from '../resources/issue.ts';
import { fullRepository } from '../resources/repository.ts';
import { simpleUser } from '../resources/user.ts';
import { type Grant, grantOf, permissionFlags } from '../roles.ts';
import {
  noContent,
  notFound,
  ofRepository,
  ok,
  paged,
  type RepositoryCall,
  type Route,
  refused,
  text,
  unprocessable,
} from '../route.ts';

const ISSUES_READ = [{ issues: 'read' }, { pull_requests: 'read' }] as const;
const ISSUES_WRITE = [{ issues: 'write' }, { pull_requests: 'write' }] as const;

export const repositoryRoutes: readonly Route[] = [
  ofRepository('GET ', [], (call) => ok(fullRepository(call.state, call.repository, grantOfCaller(call)))),
  ofRepository('GET /collaborators/{username}/permission', [], (call) => {
    const username = call.params['username'] ?? '';
    const account = accountByLogin(call.state, username);
    // Bots and accounts that are gone are no users to GitHub.
    if (account?.type !== 'User') return refused(404, `${username} is not a user`);
    const grant = grantOf(call.state, call.repository, account);
    const user = { ...simpleUser(call.state, account), permissions: permissionFlags(grant), role_name: grant.roleName };
    return ok({ permission: grant.permission, user, role_name: grant.roleName });
  }),
  ofRepository('GET /labels', ISSUES_READ, (call) =>
    paged(call, [...call.repository.labels.values()], (page) =>
      page.map((label) => labelBody(call.state, call.repository, label)),
    ),
  ),
  ofRepository('GET /labels/{name}', ISSUES_READ, (call) => {
    const label = call.repository.labels.get((call.params['name'] ?? '').toLowerCase());
    return label === undefined ? notFound() : ok(labelBody(call.state, call.repository, label));
  }),
  ofRepository('POST /labels', ISSUES_WRITE, (call) => {
    const name = text(call.body['name']) ?? '';
    if (call.repository.labels.has(name.toLowerCase())) {
      return unprocessable({ resource: 'Label', code: 'already_exists', field: 'name' });
    }
    const more = { color: text(call.body['color']) ?? 'ededed', description: text(call.body['description']) ?? null };
    return ok(labelBody(call.state, call.repository, ensureLabel(call.state, call.repository, name, more)), 201);
  }),
  ofRepository('DELETE /labels/{name}', ISSUES_WRITE, (call) => {
    const was = call.repository.labels.delete((call.params['name'] ?? '').toLowerCase());
    return was ? noContent() : notFound();
  }),
];

function grantOfCaller({ state, repository, caller }: RepositoryCall): Grant {
  if (caller.kind === 'user') return grantOf(state, repository, caller.account);
  const writes = caller.kind === 'installation' && effectivePermissions(caller)['contents'] === 'write';
  const base = writes ? 'push' : 'pull';
  return { base, permission: writes ? 'write' : 'read', roleName: writes ? 'write' : 'read' };
}
