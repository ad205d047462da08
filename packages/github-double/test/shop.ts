// A small shop on the double, on which its own tests look.

import {
  type AppInstallation,
  type DoubleOptions,
  type GithubDouble,
  type GithubRepository,
  startGithubDouble,
} from 'causeway-github-double';
import { installationToken } from './ask.ts';

/** With an App that may write what it reads. */
export function openDouble(options: DoubleOptions = {}): Promise<GithubDouble> {
  const permissions = { contents: 'write', issues: 'write', pull_requests: 'write', checks: 'write' } as const;
  return startGithubDouble({ app: { slug: 'shop-bot', permissions }, ...options });
}

export interface Shop {
  readonly github: GithubDouble;
  readonly token: string;
  readonly installation: AppInstallation;
  readonly repository: GithubRepository;
  /** The tip of main. */
  readonly sha: string;
}

/** `octo/shop` of the organisation octo, whose owner is ada, with the App installed and a token of that one repository. */
export async function shop(github: GithubDouble): Promise<Shop> {
  const { people } = github;
  people.user('ada');
  people.organization('octo', { owners: ['ada'] });
  const repository = await people.openRepository('octo/shop', {
    files: { 'src/price.ts': 'export const price = 1;\n', 'README.md': '# Shop\n' },
  });
  const installation = people.install('octo');
  const sha = await people.push('octo/shop', { by: 'ada', files: { 'src/tax.ts': 'export const tax = 0.2;\n' } });
  return {
    github,
    installation,
    repository,
    sha,
    token: await installationToken(github, installation, { repository_ids: [repository.id] }),
  };
}
