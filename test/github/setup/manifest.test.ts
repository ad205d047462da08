// The manifest of the App: what app.yml asks for, and what each kind of installation leaves out.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildManifest } from '../../../src/github/setup/make-app.ts';

const appFile = readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'app.yml'), 'utf8');
const build = (kind: 'fix' | 'comment') =>
  buildManifest({
    appFile,
    kind,
    name: 'Shop fixer',
    publicUrl: 'https://c.example',
    redirectUrl: 'https://c.example/back',
  });

describe('the manifest', () => {
  it('asks for the least that pull requests need, and never for workflows', () => {
    expect(build('fix').default_permissions).toEqual({
      ...{ metadata: 'read', contents: 'write', issues: 'write', pull_requests: 'write' },
      ...{ checks: 'write', actions: 'read', statuses: 'read' },
    });
  });

  it('lets an App that only comments write no code and no pull request', () => {
    const { default_permissions: permissions } = build('comment');
    expect(permissions).toMatchObject({ contents: 'read', pull_requests: 'read', issues: 'write' });
    expect(permissions).not.toHaveProperty('workflows');
  });

  it('sends deliveries to our receiver, and is nobody else’s to install', () => {
    expect(build('fix')).toMatchObject({
      ...{ name: 'Shop fixer', public: false, redirect_url: 'https://c.example/back' },
      hook_attributes: { url: 'https://c.example/api/github/webhooks', active: true },
      url: 'https://c.example',
      setup_url: 'https://c.example/',
    });
  });

  it('asks for the events that handlers take', () => {
    expect(build('fix').default_events).toEqual(
      expect.arrayContaining(['issues', 'issue_comment', 'check_run', 'check_suite', 'status', 'pull_request', 'push']),
    );
  });
});
