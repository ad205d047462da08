// GitHub's own description as a judge: it takes what GitHub really sends, and names what GitHub would not do.

import { createRequire } from 'node:module';
import { type ApiExchange, githubDescription, validateExchange } from 'causeway-github-double';
import { describe, expect, it } from 'vitest';

const published: readonly { name: string; examples: readonly Record<string, unknown>[] }[] = createRequire(
  import.meta.url,
)('@octokit/webhooks-examples');

function exchange(line: string, parts: Partial<ApiExchange> = {}): ApiExchange {
  const [method = '', target = ''] = line.split(' ');
  const url = new URL(target, 'https://api.github.com');
  const query = Object.fromEntries(url.searchParams);
  return {
    method,
    path: url.pathname,
    query,
    requestBody: undefined,
    status: 200,
    responseBody: undefined,
    ...parts,
  };
}

function examplesOf(event: string, part: string): readonly unknown[] {
  const examples = published.find(({ name }) => name === event)?.examples ?? [];
  return examples.map((example) => example[part]).filter((value) => value !== undefined);
}

const thumb = { id: 1, node_id: 'MDg=', user: null, content: 'eyes', created_at: '2026-01-02T03:04:05Z' };

describe('the vendored description', () => {
  it('compiles: each operation judges an empty answer of each status that it describes', () => {
    expect(githubDescription.operations.length).toBeGreaterThan(100);
    for (const { method, path, parameters, responses, operationId } of githubDescription.operations) {
      const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
        parameters.find((one) => one.in === 'path' && one.name === name)?.schema['type'] === 'integer' ? '7' : 'x',
      );
      for (const status of Object.keys(responses)) {
        const problems = validateExchange(
          exchange(`${method} ${filled}`, { status: Number(status), responseBody: {} }),
        );
        expect(problems.filter((problem) => !problem.startsWith(`${operationId}: `))).toEqual([]);
      }
    }
  });

  it('reaches no schema that it lacks', () => {
    const text = JSON.stringify(githubDescription);
    const named = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in githubDescription.components.schemas))).toEqual([]);
  });
});

describe('what GitHub itself sends', () => {
  it.each([
    ['issue_comment', 'comment', 'GET /repos/octo/shop/issues/comments/1'],
    ['issue_comment', 'issue', 'GET /repos/octo/shop/issues/1'],
    ['pull_request', 'label', 'GET /repos/octo/shop/labels/bug'],
  ])('%s payloads: their %s is taken', (event, part, line) => {
    const bodies = examplesOf(event, part);
    expect(bodies).not.toEqual([]);
    for (const responseBody of bodies) expect(validateExchange(exchange(line, { responseBody }))).toEqual([]);
  });
});

describe('a call', () => {
  it('is found by the most literal path: a comment is no issue', () => {
    const problems = validateExchange(exchange('PATCH /repos/octo/shop/issues/comments/5', { requestBody: {} }));
    expect(problems).toContain("issues/update-comment: request must have required property 'body'");
  });

  it('may name a branch with slashes, a folder, the root of a repository, and a repository by its number', () => {
    for (const path of [
      '/repos/octo/shop/commits/feature/one/status',
      '/repos/octo/shop/commits/feature%2Fone/status',
      '/repos/octo/shop/contents/',
      '/repos/octo/shop/contents/src/a%20b.ts',
      '/repos/octo/shop/git/ref/heads/fix/7-abc',
      '/repositories/17/issues/2',
      '/repositories/17',
    ]) {
      expect(validateExchange(exchange(`GET ${path}`, { status: 401 })), path).toEqual([]);
    }
  });

  it('with a query name that GitHub does not know is a problem, and so is a value out of its list', () => {
    const problems = validateExchange(exchange('GET /repos/octo/shop/issues?label=bug&state=opened', { status: 304 }));
    expect(problems).toEqual([
      'issues/list-for-repo: query `label` is not described',
      'issues/list-for-repo: query/state must be one of open, closed, all',
    ]);
  });

  it('with a number that is none is a problem; one in digits is not', () => {
    expect(validateExchange(exchange('GET /repos/octo/shop/issues/x', { status: 304 }))).toEqual([
      'issues/get: path/issue_number must be integer',
    ]);
    expect(validateExchange(exchange('GET /repos/octo/shop/issues?per_page=100', { status: 304 }))).toEqual([]);
  });

  it('with a body is held to names and types', () => {
    const call = (requestBody: unknown) =>
      validateExchange(exchange('POST /repos/octo/shop/git/refs', { requestBody, status: 503 }));
    expect(call({ ref: 'refs/heads/a', sha: 'b' })).toEqual([]);
    expect(call({ ref: 'refs/heads/a', sha: 1, force: true })).toEqual([
      'git/create-ref: request: `force` is not described',
      'git/create-ref: request/sha must be string',
    ]);
    expect(call(undefined)).toEqual(['git/create-ref: request: no body']);
  });

  it('takes labels in each of the forms that GitHub describes', () => {
    for (const requestBody of [{ labels: ['bug'] }, { labels: [{ name: 'bug' }] }]) {
      const problems = validateExchange(exchange('POST /repos/o/r/issues/1/labels', { requestBody, status: 403 }));
      expect(problems).toEqual([]);
    }
  });

  it('to a path that is not used, or with a method that it does not have, is a problem', () => {
    expect(validateExchange(exchange('GET /repos/octo/shop/dispatches'))).toEqual([
      'GET /repos/octo/shop/dispatches: no operation that is known to be used',
    ]);
    expect(validateExchange(exchange('DELETE /repos/octo/shop/issues/1'))).toEqual([
      'DELETE /repos/octo/shop/issues/1: this path does not have that method',
    ]);
  });
});

describe('an answer', () => {
  const create = (status: number, responseBody: unknown) =>
    validateExchange(
      exchange('POST /repos/o/r/issues/1/reactions', { requestBody: { content: 'eyes' }, status, responseBody }),
    );

  it('is held to the schema of its status', () => {
    const user = examplesOf('issue_comment', 'sender')[0];
    expect(create(201, { ...thumb, user })).toEqual([]);
    expect(create(201, { ...thumb, user, created_at: 'yesterday', content: 'wave' })).toEqual([
      'reactions/create-for-issue: answer 201/content must be one of +1, -1, laugh, confused, heart, hooray, rocket, eyes',
      'reactions/create-for-issue: answer 201/created_at must match format "date-time"',
    ]);
  });

  it('may leave null what GitHub calls nullable, and nothing else', () => {
    expect(create(201, thumb)).toEqual([]);
    expect(create(201, { ...thumb, id: null })).toEqual(['reactions/create-for-issue: answer 201/id must be integer']);
  });

  it('of a status that GitHub does not describe is a problem, but for what it gives anywhere', () => {
    expect(create(418, {})).toEqual(['reactions/create-for-issue: answer: status 418 is not described']);
    for (const status of [302, 304, 401, 403, 404, 429, 451, 500, 502, 503]) expect(create(status, {})).toEqual([]);
  });

  it('without its body, or with one after 204, is a problem', () => {
    expect(create(201, undefined)).toEqual(['reactions/create-for-issue: answer: status 201 without its body']);
    expect(
      validateExchange(exchange('DELETE /repos/o/r/issues/comments/1', { status: 204, responseBody: { ok: true } })),
    ).toEqual(['issues/delete-comment: answer: 204 has no body']);
  });

  it('may be text where another media type can be asked for, and only there', () => {
    expect(validateExchange(exchange('GET /repos/o/r/pulls/1', { responseBody: 'diff --git' }))).toEqual([]);
    expect(validateExchange(exchange('GET /repos/o/r/issues/1', { responseBody: 'text' }))).not.toEqual([]);
  });

  it('about a faulty value may say null where GitHub does', () => {
    const responseBody = {
      message: 'Validation Failed',
      documentation_url: 'https://docs.github.com/rest',
      errors: [{ code: 'invalid', field: 'head', value: null }],
    };
    expect(
      validateExchange(
        exchange('POST /repos/o/r/pulls', { requestBody: { head: 'a', base: 'b' }, status: 422, responseBody }),
      ),
    ).toEqual([]);
  });
});

describe('a GraphQL call', () => {
  const call = (requestBody: unknown, responseBody: unknown = { data: {} }, status = 200) =>
    validateExchange(exchange('POST /graphql', { requestBody, responseBody, status }));
  const commit = `mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }`;
  const input = {
    branch: { repositoryNameWithOwner: 'octo/shop', branchName: 'fix/1-a' },
    expectedHeadOid: '0'.repeat(40),
    message: { headline: 'Fix' },
    fileChanges: { additions: [{ path: 'a.ts', contents: 'eA==' }], deletions: [{ path: 'b.ts' }] },
  };

  it('is held to the fields and arguments of the schema', () => {
    expect(call({ query: 'query { repository(owner: "o", name: "r") { id isPrivate } }' })).toEqual([]);
    expect(call({ query: 'query { repository(owner: "o") { id secret } }' })).toEqual([
      'graphql: request: Cannot query field "secret" on type "Repository".',
      'graphql: request: Field "repository" argument "name" of type "String!" is required, but it was not provided.',
    ]);
    expect(call({ query: 'query {' })).toEqual(['graphql: request: Syntax Error: Expected Name, found <EOF>.']);
  });

  it('is held to the types of its variables', () => {
    expect(call({ query: commit, variables: { input } })).toEqual([]);
    const { expectedHeadOid: _, ...headless } = input;
    expect(call({ query: commit, variables: { input: headless } })[0]).toContain('"expectedHeadOid"');
    const crooked = { ...input, message: 'Fix' };
    expect(call({ query: commit, variables: { input: crooked } })[0]).toContain('"CommitMessage"');
  });

  it('is answered with data or errors', () => {
    const query = 'query { viewer { login } }';
    expect(call({ query }, { data: null, errors: [{ message: 'no' }] })).toEqual([]);
    expect(call({ query }, {})).toEqual(['graphql: answer: neither data nor errors']);
    expect(call({ query }, { errors: [{}] })).toEqual(['graphql: answer: an error without a message']);
    expect(call({ query }, {}, 422)).toEqual(['graphql: answer: status 422 is not described']);
  });
});
