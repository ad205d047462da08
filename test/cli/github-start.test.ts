// What `serve` prints with a GitHub App, and on the way to one.
import { expect, it } from 'vitest';
import { type GithubStarted, githubStartText, ignoredText, installText, setupText } from '../../src/cli/start-text.ts';

const started: GithubStarted = {
  ...{
    address: 'https://causeway.example',
    listening: 'http://0.0.0.0:3000',
    lacksPublicUrl: false,
    webUrl: 'https://github.com',
    appId: 4711,
  },
  ...{ hasSignIn: true, worker: true, paused: false, maxMode: 'fix', model: 'some-model', modelHint: '' },
  launcher: { here: 'bin/causeway', anywhere: '/srv/causeway/bin/causeway' },
};

it('says where it is, which App it is, and how somebody gets a token', () => {
  expect(githubStartText(started)).toMatchInlineSnapshot(`
    "Causeway is ready: https://causeway.example
      Account area: https://causeway.example/projects
      API and examples: https://causeway.example/docs
      GitHub: https://github.com, App 4711; deliveries at https://causeway.example/api/github/webhooks
      Listening on http://0.0.0.0:3000. Ctrl-C stops it.
      Model: some-model

    A token for the API, for somebody on GitHub:
      bin/causeway token create --account LOGIN --name laptop
    "
  `);
});

it('says where people sign in, or what is missing for it', () => {
  expect(githubStartText(started)).toContain('\n  Account area: https://causeway.example/projects\n');
  expect(githubStartText({ ...started, hasSignIn: false })).toMatch(
    /Account area: nobody can sign in yet\. Set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET/,
  );
});

it('says on its first line that a MODEL is set without a key', () => {
  const [first] = githubStartText({ ...started, model: null, modelHint: 'MODEL is set without a key.' }).split('\n');
  expect(first).toBe('Model: none (search only). MODEL is set without a key.');
});

it('says what it does not do: without a worker, paused, held below fix by the operator', () => {
  const text = githubStartText({ ...started, worker: false, paused: true, maxMode: 'comment' });
  expect(text).toContain('No worker in this process');
  expect(text).toContain('bin/causeway resume');
  expect(text).toContain('comment at most (MAX_MODE)');
});

it('leads to the page that makes the App, and to where it is installed', () => {
  const text = setupText({
    address: 'https://causeway.example',
    listening: 'http://0.0.0.0:3000',
    lacksPublicUrl: false,
    code: 'AAAAA-BBBBB',
  });
  expect(text).toMatch(/https:\/\/causeway\.example\/setup\n.*AAAAA-BBBBB/);
  expect(text).not.toContain('PUBLIC_URL');
  expect(installText('https://github.com/apps/x')).toContain('https://github.com/apps/x/installations/new');
});

it('names the owner of an installation that does not count, and the setting, and never says that there is none', () => {
  const text = ignoredText('https://github.com/apps/x', ['acme']);
  expect(text).toContain('installed for acme');
  expect(text).toContain('ALLOWED_OWNERS');
  expect(text).not.toContain('not installed');
  expect(text).toContain('https://github.com/apps/x/installations/new');
});

it('asks for PUBLIC_URL where the port is open to others and nobody said under which address', () => {
  const address = 'http://0.0.0.0:3000';
  const open = { address, listening: address, lacksPublicUrl: true };
  expect(githubStartText({ ...started, ...open })).toMatch(/\n\nSet PUBLIC_URL to the address .*\n.*\nSign-in /);
  expect(setupText({ ...open, code: 'AAAAA-BBBBB' })).toMatch(/\nSet PUBLIC_URL to the address /);
});
