// Archives that are made to be costly, as large as they are read: time, memory, and that the next one is read as if nothing had been.
import { expect, it } from 'vitest';
import { HOSTILE, type HostileArchive, packHostile, zipFiles } from '../../../packages/ci-log/test/hostile-archives.ts';
import { createResultBudget } from '../../../src/core/check/check.ts';
import { createCheckReader } from '../../../src/services/checks/check-texts.ts';

const MEGABYTE = 1_024 * 1_024;
const GOOD = zipFiles({ 'a.xml': '<testsuite><testcase name="a"><failure message="no"/></testcase></testsuite>' });

/** As large as files are read, by their kind; a larger one is refused by its size, whatever it has in it. */
const READ_MEGABYTES = { xml: 8, sarif: 2 };
const ofKind = (kind: HostileArchive['kind']) => HOSTILE.filter((shape) => shape.kind === kind).slice(0, 1);

it.each([
  ...HOSTILE.map((shape) => ({ ...shape, megabytes: READ_MEGABYTES[shape.kind] })),
  ...[...ofKind('xml'), ...ofKind('sarif')].map((shape) => ({ ...shape, megabytes: 16 })),
])(
  '$name in files of $megabytes MB: 64 MB take bounded time and memory, and the next archive is read',
  async ({ megabytes, ...shape }) => {
    await using reader = createCheckReader();
    const signal = new AbortController().signal;
    const artifact = (archive: Uint8Array) => ({ name: 'a', archive, budget: createResultBudget() });
    const given = artifact(packHostile(shape, megabytes * MEGABYTE - 300, 64 * MEGABYTE));
    const [cpu, rss] = [process.cpuUsage(), process.memoryUsage.rss()];
    await reader.readArtifact(given, signal);
    const { user, system } = process.cpuUsage(cpu);
    // At most 5 s; before there were bounds 12 s.
    expect((user + system) / 1e6).toBeLessThan(20);
    // At most 150; before there were bounds 1,000.
    expect((process.memoryUsage.rss() - rss) / MEGABYTE).toBeLessThan(600);
    expect((await reader.readArtifact(artifact(GOOD), signal)).results).toHaveLength(1);
  },
  120_000,
);
