// How builds of Buildkite, CircleCI and Jenkins are found from an address, and what of them is read.

import type { FailedResult } from 'causeway-ci-log';
import { z } from 'zod';
import { type BuildClient, BuildFault } from './client.ts';
import type { BuildHost } from './config.ts';

/** What a build says that it built. */
export interface BuiltFrom {
  /** "": it does not say. */
  readonly sha: string;
  /** Addresses of git repositories; none: it does not say. */
  readonly repositories: readonly string[];
}

/** A part of a build that failed. */
interface BuildPart {
  /** "" where it is the whole build. */
  readonly name: string;
  readonly log: AsyncIterable<Uint8Array>;
}

export interface Build {
  /** Each must be of the repository itself or of a library, and one of them of the commit. */
  readonly from: readonly BuiltFrom[];
  /** Opened only once that is known. */
  readonly open: () => Promise<readonly BuildPart[]>;
  readonly readResults?: () => Promise<readonly FailedResult[]>;
}

type ReadBuild = (host: BuildHost, url: URL, client: BuildClient) => Promise<Build>;

const MOST_PARTS = 3;
/** As the services allow names; Jenkins has any, encoded. */
const NAME = '[\\w.-]{1,200}';
const JOB = '[\\w.~%+-]{1,300}';
/** Encoded, these mean one place to one reader of a path and another to the next. */
const AMBIGUOUS = /%(?:2e|2f|5c|3b|[01][0-9a-f]|7f)/i;

function parseProviderAnswer<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new BuildFault('invalid', 'an answer of an unknown form');
  return parsed.data;
}

function match(pattern: RegExp, path: string): Readonly<Record<string, string>> {
  const groups = AMBIGUOUS.test(path) ? undefined : pattern.exec(path)?.groups;
  if (groups === undefined) throw new BuildFault('address', 'names no build');
  return groups;
}

const BUILDKITE_PATH = new RegExp(`^/(?<org>${NAME})/(?<pipeline>${NAME})/builds/(?<number>\\d{1,10})/?$`);
const BUILDKITE_JOB = z.object({
  id: z.string().regex(/^[0-9a-f-]{8,64}$/i),
  type: z.string().optional(),
  name: z.string().nullish(),
  state: z.string().nullish(),
  soft_failed: z.boolean().nullish(),
  retried: z.boolean().nullish(),
});
const BUILDKITE_BUILD = z.object({
  commit: z.string(),
  pipeline: z.object({ repository: z.string() }),
  jobs: z.array(BUILDKITE_JOB),
});
/** Marks of time before each line: an escape sequence that terminals do not show. */
const BUILDKITE_TIME = /\u001b_bk;t=\d{1,16}\u0007/g;
const LONGEST_MARK = 24;

/**
 * https://buildkite.com/docs/apis/rest-api/builds#get-a-build and
 * https://buildkite.com/docs/apis/rest-api/jobs#get-a-jobs-log-output
 */
const readBuildkite: ReadBuild = async (_, url, client) => {
  const { org, pipeline, number } = match(BUILDKITE_PATH, url.pathname);
  const path = `/v2/organizations/${org}/pipelines/${pipeline}/builds/${number}`;
  const { commit, pipeline: of, jobs } = parseProviderAnswer(BUILDKITE_BUILD, await client.readJson(path));
  const wanted = url.hash.slice(1);
  const failed = jobs.filter(
    ({ id, state, soft_failed: soft, retried }) =>
      id === wanted ||
      (wanted === '' && /^(?:failed|timed_out)$/.test(state ?? '') && soft !== true && retried !== true),
  );
  return {
    from: [{ sha: commit, repositories: [of.repository] }],
    open: async () =>
      await openParts(failed, async ({ id, name }) => ({
        name: name ?? '',
        log: removeLogMarks(await client.openText(`${path}/jobs/${id}/log.txt`)),
      })),
  };
};

async function* removeLogMarks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = '';
  for await (const chunk of chunks) {
    // One byte is one character, so that nothing is lost at the edges of chunks.
    const text = (rest + Buffer.from(chunk).toString('latin1')).replace(BUILDKITE_TIME, '');
    const open = text.indexOf('\u001b', Math.max(0, text.length - LONGEST_MARK));
    rest = open < 0 ? '' : text.slice(open);
    yield Buffer.from(open < 0 ? text : text.slice(0, open), 'latin1');
  }
  yield Buffer.from(rest, 'latin1');
}

const CIRCLECI_PATHS = [
  new RegExp(`^/(?:gh|github)/(?<org>${NAME})/(?<repo>${NAME})/(?<number>\\d{1,10})/?$`),
  new RegExp(
    `^/pipelines/(?:gh|github)/(?<org>${NAME})/(?<repo>${NAME})/\\d{1,10}/workflows/[0-9a-f-]{36}/jobs/(?<number>\\d{1,10})(?:/|$)`,
  ),
];
const CIRCLECI_ACTION = z.object({
  name: z.string(),
  status: z.string().nullish(),
  failed: z.boolean().nullish(),
  exit_code: z.number().nullish(),
  output_url: z.string().nullish(),
});
const CIRCLECI_BUILD = z.object({
  vcs_revision: z.string(),
  vcs_url: z.string(),
  steps: z.array(z.object({ actions: z.array(CIRCLECI_ACTION) })),
});
const CIRCLECI_OUTPUT = z.array(z.object({ message: z.string() }));
/** Where circleci.com stores the output of steps. */
const S3 = /^https:\/\/[a-z0-9-]{1,63}\.s3(?:\.[a-z0-9-]{1,40})?\.amazonaws\.com$/;

/** https://circleci.com/docs/api/v1/#single-job */
const readCircleci: ReadBuild = async (host, url, client) => {
  const pattern = CIRCLECI_PATHS.find((one) => one.test(url.pathname)) ?? /^$/;
  const { org, repo, number } = match(pattern, url.pathname);
  const path = `/api/v1.1/project/github/${org}/${repo}/${number}`;
  const {
    vcs_revision: sha,
    vcs_url: repository,
    steps,
  } = parseProviderAnswer(CIRCLECI_BUILD, await client.readJson(path));
  const failed = steps
    .flatMap(({ actions }) => actions)
    .filter(({ failed: hasFailed, status }) => hasFailed === true || /^(?:failed|timedout)$/.test(status ?? ''));
  return {
    from: [{ sha, repositories: [repository] }],
    open: async () =>
      await openParts(failed, async ({ name, output_url: stored, exit_code: code }) => {
        const place = URL.parse(stored ?? '');
        const output = place === null ? [] : await readTestOutput(host, place, client);
        const end = `##[error]Process completed with exit code ${code ?? 1}.`;
        return { name, log: [Buffer.from(`${output.map(({ message }) => message).join('')}\n${end}\n`)] };
      }),
  };
};

async function readTestOutput({ api, storage }: BuildHost, place: URL, client: BuildClient) {
  const isOfService = api === 'https://circleci.com' && S3.test(place.origin);
  const isOpen = place.username === '' && place.password === '';
  if (!isOpen || !(isOfService || storage.includes(place.origin))) throw new BuildFault('storage', place.origin);
  return parseProviderAnswer(CIRCLECI_OUTPUT, await client.readStored(place));
}

const JENKINS_PATH = new RegExp(
  `^(?<build>(?:/job/${JOB}){1,20}/\\d{1,10})(?:/(?:display/redirect|console|consoleText|consoleFull|pipeline-overview)?)?/?$`,
);
const JENKINS_BUILD = z.object({
  actions: z.array(
    z
      .object({
        remoteUrls: z.array(z.string()).optional(),
        lastBuiltRevision: z.object({ SHA1: z.string() }).nullish(),
      })
      .nullable(),
  ),
});
const JENKINS_TESTS = z.object({
  suites: z.array(
    z.object({
      cases: z.array(
        z.object({
          className: z.string().nullish(),
          name: z.string().nullish(),
          status: z.string().nullish(),
          errorDetails: z.string().nullish(),
          errorStackTrace: z.string().nullish(),
        }),
      ),
    }),
  ),
});
const MOST_TESTS = 200;
const MESSAGE_CHARACTERS = 4_000;
const TRACE_CHARACTERS = 16_000;

/**
 * https://www.jenkins.io/doc/book/using/remote-access-api/, with the build data of the Git plugin
 * (https://plugins.jenkins.io/git/) and the report of the JUnit plugin (https://plugins.jenkins.io/junit/).
 */
const readJenkins: ReadBuild = async ({ path }, url, client) => {
  if (!url.pathname.startsWith(`${path}/`)) throw new BuildFault('address', 'names no build');
  const build = `${path}${match(JENKINS_PATH, url.pathname.slice(path.length))['build']}`;
  const { actions } = parseProviderAnswer(
    JENKINS_BUILD,
    await client.readJson(`${build}/api/json?tree=actions[remoteUrls,lastBuiltRevision[SHA1]]`),
  );
  return {
    // An action with either part is a checkout: one that does not say its commit still brought its repository into the log.
    from: actions.flatMap((action) => {
      const sha = action?.lastBuiltRevision?.SHA1 ?? '';
      const repositories = action?.remoteUrls ?? [];
      return sha === '' && repositories.length === 0 ? [] : [{ sha, repositories }];
    }),
    open: async () => [{ name: '', log: await client.openText(`${build}/consoleText`) }],
    readResults: async () => {
      const fields = 'className,name,status,errorDetails,errorStackTrace';
      const report = await client.readJson(`${build}/testReport/api/json?tree=suites[cases[${fields}]]`);
      return parseProviderAnswer(JENKINS_TESTS, report)
        .suites.flatMap(({ cases }) => cases)
        .filter(({ status }) => status === 'FAILED' || status === 'REGRESSION')
        .slice(0, MOST_TESTS)
        .map(({ className, name, errorDetails, errorStackTrace }) => ({
          kind: 'test' as const,
          scope: className ?? '',
          name: name ?? '',
          path: '',
          line: 0,
          message: (errorDetails ?? '').slice(0, MESSAGE_CHARACTERS).toWellFormed(),
          trace: (errorStackTrace ?? '').slice(0, TRACE_CHARACTERS).toWellFormed(),
        }));
    },
  };
};

async function openParts<T>(
  failed: readonly T[],
  open: (part: T) => Promise<{ readonly name: string; readonly log: AsyncIterable<Uint8Array> | Uint8Array[] }>,
): Promise<readonly BuildPart[]> {
  const parts: BuildPart[] = [];
  for (const one of failed.slice(0, MOST_PARTS)) {
    const { name, log } = await open(one);
    parts.push({ name, log: Array.isArray(log) ? yieldChunks(log) : log });
  }
  return parts;
}

async function* yieldChunks(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

export const BUILD_READERS: Readonly<Record<BuildHost['kind'], ReadBuild>> = {
  buildkite: readBuildkite,
  circleci: readCircleci,
  jenkins: readJenkins,
};
