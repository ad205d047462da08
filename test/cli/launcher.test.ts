// The next command, as a person pastes it.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { launcherOf } from '../../src/cli/terminal.ts';
import { quoteWord } from '../../src/core/shell-quote.ts';

describe('the launcher as it can be pasted', () => {
  it('is short in the folder of the installation, and whole elsewhere', () => {
    const there = { installation: '/srv/causeway', cwd: '/srv/causeway', dataDir: null };
    expect(launcherOf(there)).toEqual({ here: 'bin/causeway', anywhere: '/srv/causeway/bin/causeway' });
    expect(launcherOf({ ...there, cwd: '/home/ada/shop' }).here).toBe('/srv/causeway/bin/causeway');
  });

  it('names a data folder that is not the default one, and quotes what a shell would take apart', () => {
    const { here, anywhere } = launcherOf({
      installation: "/home/ada/it's mine",
      cwd: "/home/ada/it's mine",
      dataDir: '/var/my data',
    });
    expect(here).toBe("DATA_DIR='/var/my data' bin/causeway");
    const echoed = execFileSync('sh', ['-c', anywhere.replace(/^(DATA_DIR=\S+ \S+) /, "$1; printf '%s' ")]);
    expect(echoed.toString()).toBe("/home/ada/it's mine/bin/causeway");
  });
});

describe('a word for the shell', () => {
  it.each(['', 'a b', "it's", '$HOME', '`x`', '*', '~/x', 'a;b', 'plain/path-1.0'])(
    '%j is read back as it is',
    (word) => {
      expect(execFileSync('sh', ['-c', `printf '%s' ${quoteWord(word)}`]).toString()).toBe(word);
    },
  );
});
