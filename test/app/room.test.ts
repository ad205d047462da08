// Room on the disk: what is enough, how often it is asked, and words for whoever operates it.
import { describe, expect, it } from 'vitest';
import { createRoom } from '../../src/app/room.ts';
import { createLog } from '../../src/log.ts';

const MB = 1024 ** 2;
const GB = 1024 * MB;

/** A disk of so many bytes, of which so many are free. */
function place(disk: { size: number; free: number }) {
  const time = { now: new Date('2026-11-20T10:00:00.000Z') };
  const lines: string[] = [];
  const asked = { count: 0 };
  const room = createRoom({
    folder: '/srv/causeway',
    log: createLog({ level: 'error', destination: { write: (line) => lines.push(line) } }),
    now: () => time.now,
    read: async () => {
      asked.count += 1;
      return { blocks: disk.size / 1024, bavail: disk.free / 1024, bsize: 1024 };
    },
  });
  const later = async () => {
    time.now = new Date(time.now.getTime() + 2_000);
    return await room();
  };
  return { room, later, lines, asked };
}

describe('room on the disk', () => {
  it.each([
    ['256 MiB of a large disk', 500 * GB, 256 * MB, true],
    ['less of a large disk', 500 * GB, 255 * MB, false],
    ['a 128th part of a small one', 24 * MB, 192 * 1024, true],
    ['less of a small one', 24 * MB, 191 * 1024, false],
  ])('with %s free', async (_, size, free, isEnough) => {
    expect((await place({ size, free }).room()) === '').toBe(isEnough);
  });

  it('says what the operator must do, logs it once, and is there again when somebody has made some', async () => {
    const disk = { size: 500 * GB, free: 10 * MB };
    const at = place(disk);
    expect(await at.room()).toMatch(/Nothing was accepted: less than 256 MiB .* make room on the disk of DATA_DIR/);
    expect(await at.later()).not.toBe('');
    expect(at.lines).toHaveLength(1);
    disk.free = GB;
    expect(await at.later()).toBe('');
  });

  it('is asked of the system once in two seconds, however many want to know', async () => {
    const at = place({ size: 500 * GB, free: GB });
    await Promise.all(Array.from({ length: 100 }, () => at.room()));
    expect(at.asked.count).toBe(1);
    await at.later();
    expect(at.asked.count).toBe(2);
  });

  it('is believed to be there where the disk does not tell: the store says what is wrong', async () => {
    const log = createLog({ level: 'silent' });
    expect(await createRoom({ folder: '/no/such/folder', log, now: () => new Date(0) })()).toBe('');
  });
});
