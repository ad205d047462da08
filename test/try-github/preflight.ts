// Looks before anything is written: whether App, token and sandbox are as the story needs them. Each problem comes with its repair.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import type { Asking, Ground } from './ground.ts';
import { MARKER, type Sandbox } from './sandbox.ts';

export interface Prepared {
  /** Login of the App's bot. */
  readonly bot: string;
  readonly slug: string;
  readonly login: string;
  readonly repositoryId: number;
  readonly defaultBranch: string;
  readonly isPrivate: boolean;
}

export type Preflight =
  | { readonly kind: 'ready'; readonly prepared: Prepared }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

export async function lookAhead(ground: Ground, asking: Asking, git: Sandbox): Promise<Preflight> {
  const [app, user, repository] = [
    await asking.app('GET /app'),
    await asking.person('GET /user'),
    await asking.person(`GET /repos/${ground.sandbox}`),
  ];
  const problems = [
    ...(app.status === 200
      ? []
      : [`GitHub answers ${app.status} to the App: APP_ID and PRIVATE_KEY must be of the same App.`]),
    ...(user.status === 200 ? [] : [`GitHub answers ${user.status} to GITHUB_TOKEN: make a new one.`]),
    ...(repository.status === 200
      ? []
      : [`GITHUB_TOKEN does not see ${ground.sandbox} (${repository.status}): name a repository that it may write.`]),
  ];
  if (problems.length > 0) return { kind: 'problems', problems };
  problems.push(
    ...(await findAppProblems(ground, asking, app.body)),
    ...findTokenProblems(user.headers.get('x-oauth-scopes'), repository.body),
    ...(await findRepositoryProblems(ground, asking, git, repository.body)),
  );
  if (problems.length > 0) return { kind: 'problems', problems };
  const { slug } = app.body;
  return {
    kind: 'ready',
    prepared: {
      ...{ slug, bot: `${slug}[bot]`, login: user.body.login, repositoryId: repository.body.id },
      ...{ defaultBranch: repository.body.default_branch ?? 'main', isPrivate: repository.body.private },
    },
  };
}

async function findAppProblems(
  { sandbox, hookUrl, webUrl }: Ground,
  asking: Asking,
  app: { readonly slug: string },
): Promise<readonly string[]> {
  const installation = await asking.app(`GET /repos/${sandbox}/installation`);
  if (installation.status !== 200) {
    return [
      `The App is not installed on ${sandbox}: ${webUrl}/apps/${app.slug}/installations/new, and select it alone.`,
    ];
  }
  const hook = await asking.app('GET /app/hook/config');
  const { default_permissions: wanted }: { default_permissions: Readonly<Record<string, string>> } = parse(
    await readFile(path.join(import.meta.dirname, '..', '..', 'app.yml'), 'utf8'),
  );
  const granted: Readonly<Record<string, string>> = installation.body.permissions;
  const lacking = Object.entries(wanted).filter(
    ([name, level]) => granted[name] !== level && granted[name] !== 'write',
  );
  return [
    ...(hook.body?.url === hookUrl
      ? []
      : [`The App sends its webhooks elsewhere: set its webhook URL to ${hookUrl} (WEBHOOK_PROXY_URL or PUBLIC_URL).`]),
    ...(lacking.length === 0
      ? []
      : [
          `The installation lacks ${lacking.map((one) => one.join(': ')).join(', ')}: request it in the App's settings, and accept it at ${installation.body.html_url}.`,
        ]),
    ...(await findOtherRepositories(asking, installation.body)),
  ];
}

/** Causeway would serve them as well while this runs. */
async function findOtherRepositories(
  asking: Asking,
  installation: { readonly id: number; readonly html_url: string },
): Promise<readonly string[]> {
  const made = await asking.app(`POST /app/installations/${installation.id}/access_tokens`, {
    permissions: { metadata: 'read' },
  });
  if (made.status !== 201) return [`GitHub answers ${made.status} when the App asks for a token of its installation.`];
  const listed = await asking.withToken(made.body.token, 'GET /installation/repositories?per_page=1');
  const count: number = listed.body?.total_count ?? 0;
  return count === 1
    ? []
    : [
        `The App is installed on ${count} repositories of this owner: select the sandbox alone at ${installation.html_url}.`,
      ];
}

/** A fine-grained token has no scopes in its answers: what it may not do is told when it is tried. */
function findTokenProblems(
  scopes: string | null,
  repository: { readonly permissions?: { readonly push?: boolean }; readonly private: boolean },
): readonly string[] {
  const has = scopes === null || scopes === '' ? null : scopes.split(/, */);
  const needed = [repository.private ? 'repo' : 'public_repo', 'workflow'];
  const lacking =
    has === null
      ? []
      : needed.filter((scope) => !has.includes(scope) && !(scope === 'public_repo' && has.includes('repo')));
  return [
    ...(repository.permissions?.push === true
      ? []
      : ['GITHUB_TOKEN may not push there: it must be of a person with write.']),
    ...lacking.map((scope) => `GITHUB_TOKEN lacks the scope ${scope}: add it to the token.`),
  ];
}

async function findRepositoryProblems(
  { sandbox }: Ground,
  asking: Asking,
  git: Sandbox,
  repository: { readonly archived: boolean; readonly has_issues: boolean },
): Promise<readonly string[]> {
  const isEmpty = (await git.branches()).size === 0;
  const marker = isEmpty ? null : await asking.person(`GET /repos/${sandbox}/contents/${MARKER}`);
  const isOurs = marker === null || marker.status === 200;
  return [
    ...(repository.archived ? [`${sandbox} is archived: name another one, or unarchive it.`] : []),
    ...(repository.has_issues ? [] : [`${sandbox} has no issues: turn them on in its settings.`]),
    ...(isOurs
      ? []
      : [
          `${sandbox} is neither empty nor has the file ${MARKER}: name an empty repository, or add that file if all in it may be overwritten.`,
        ]),
  ];
}
