// Room on the disk: what is enough, how often it is asked, and what the log says of it.
import { describe, expect, it } from 'vitest';
import { createRoom } from '../../src/app/services.ts';
import { describeNoSpace } from '../../src/core/disk.ts';
import { createLog } from '../../src/log.ts';
import { expectForPeople } from '../support/for-people.ts';

const MIB = 1024 ** 2;

/** A disk with so many bytes free. */
function place(disk: { free: number }) {
  const time = { now: new Date('2026-11-20T10:00:00.000Z') };
  const lines: string[] = [];
  const asked = { count: 0 };
  const room = createRoom({
    folder: '/srv/causeway',
    log: createLog({ level: 'info', destination: { write: (line) => lines.push(line) } }),
    now: () => time.now,
    read: async () => {
      asked.count += 1;
      return disk.free;
    },
  });
  const later = async () => {
    time.now = new Date(time.now.getTime() + 2_000);
    return await room();
  };
  return { room, later, lines, asked };
}

describe('room on the disk', () => {
  it('is there from 100 MiB on', async () => {
    expect(await place({ free: 100 * MIB }).room()).toBeNull();
    expect(await place({ free: 100 * MIB - 1 }).room()).toEqual({ free: 100 * MIB - 1, required: 100 * MIB });
  });

  it('is missed in figures, never rounded up to enough', () => {
    const text = (free: number) => describeNoSpace({ free, required: 100 * MIB });
    expect(text(19.9 * MIB)).toContain('(19 MiB free, 100 MiB required)');
    expect(text(100 * MIB - 1)).toContain('(99 MiB free, 100 MiB required)');
    expect(text(0)).toContain('(0 B free, 100 MiB required)');
    expectForPeople(text(0));
  });

  it('is logged once when it is short, and once when there is space again', async () => {
    const disk = { free: 10 * MIB };
    const at = place(disk);
    await at.room();
    await at.later();
    expect(at.lines).toHaveLength(1);
    expect(at.lines[0]).toContain('no space left on the disk of DATA_DIR');
    disk.free = 1024 * MIB;
    expect(await at.later()).toBeNull();
    await at.later();
    expect(at.lines).toHaveLength(2);
  });

  it('is asked of the system once in two seconds, however many want to know', async () => {
    const at = place({ free: 1024 * MIB });
    await Promise.all(Array.from({ length: 100 }, () => at.room()));
    expect(at.asked.count).toBe(1);
    await at.later();
    expect(at.asked.count).toBe(2);
  });

  it('is believed to be there where the disk does not tell: the store says what is wrong', async () => {
    const log = createLog({ level: 'silent' });
    expect(await createRoom({ folder: '/no/such/folder', log, now: () => new Date(0) })()).toBeNull();
  });
});
