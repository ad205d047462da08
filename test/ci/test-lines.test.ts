// Which changes of a test's own file touch what runs with it, language by language: another test of that file does not.

import { readOutline } from 'causeway-git-objects';
import { expect, it } from 'vitest';
import { listBesideFailing } from '../../src/ci/test-lines.ts';

interface Edit {
  readonly path: string;
  readonly text: string;
  /** What the change puts in the place of a part of the text. */
  readonly from: string;
  readonly to: string;
  readonly tests: readonly string[];
  readonly line?: number;
}

function treeOf(path: string, text: string) {
  const read = { kind: 'text', text, firstLine: 1, totalLines: text.split('\n').length, cut: '' } as const;
  return { read: async () => read, outline: async () => readOutline(path, text) };
}

/** Whether the change touches other tests alone. */
async function isBeside({ path, text, from, to, tests, line = 0 }: Edit): Promise<boolean> {
  expect(text).toContain(from);
  const failing = {
    places: [{ path, line, message: '' }],
    excerpt: { step: '', headline: '', lines: [], cut: '', tests },
  };
  const trees = {
    before: treeOf(path, text),
    after: treeOf(
      path,
      text.replace(from, () => to),
    ),
  };
  return (await listBesideFailing(trees, [path], failing, new AbortController().signal)).length > 0;
}

const SCRIPT = `import { beforeEach, describe, expect, it } from 'vitest';
import { openTill } from '../src/till.js';

function makeCart(...items) {
  return { items };
}

function makeStaff(name) {
  return { name };
}

describe('till', () => {
  let till;

  beforeEach(() => {
    till = openTill();
  });

  it('adds', () => {
    expect(till.sum(makeCart(1, 2))).toBe(3);
  });

  it('opens for staff', () => {
    expect(till.openFor(makeStaff('per'))).toBe(true);
  });

  it.each([1, 2])('counts %d', (count) => {
    expect(till.count(count)).toBe(count);
  });
});

describe('drawer', () => {
  beforeEach(() => {
    openDrawer();
  });

  it('closes', () => {
    expect(drawer.close()).toBe(true);
  });
});
`;

const PYTHON = `import pytest
from shop import till


@pytest.fixture
def cart():
    return [1, 2]


@pytest.fixture
def staff():
    return 'per'


@pytest.fixture(autouse=True)
def clock():
    till.freeze()


class TestTill:
    def setup_method(self):
        self.till = till.open()

    def test_adds(self, cart):
        assert self.till.sum(cart) == 3

    def test_opens(self, staff):
        assert self.till.open_for(staff)


class TestDrawer:
    def setup_method(self):
        self.drawer = till.drawer()

    def test_closes(self):
        assert self.drawer.close()
`;

const GO = `package till

func newCart(items ...int) Cart {
	return Cart{items}
}

func newStaff(name string) Staff {
	return Staff{name}
}

func TestMain(m *testing.M) {
	os.Exit(m.Run())
}

func TestAdds(t *testing.T) {
	if Sum(newCart(1, 2)) != 3 {
		t.Fatal("sum")
	}
}

func TestOpens(t *testing.T) {
	Open(newStaff("per"))
}
`;

const JAVA = `class TillTest {
  private Till till;

  @BeforeEach
  void open() {
    till = new Till();
  }

  void assertSum(int wanted) {
    assertEquals(wanted, till.sum());
  }

  void assertOpen(String name) {
    assertTrue(till.isOpen(name));
  }

  @Test
  void adds() {
    assertSum(3);
  }

  @Test
  void opens() {
    assertOpen("per");
  }
}
`;

const script = { path: 'test/till.test.js', text: SCRIPT, tests: ['till > adds'] };
const python = { path: 'tests/test_till.py', text: PYTHON, tests: ['tests/test_till.py::TestTill::test_adds'] };
const go = { path: 'till/till_test.go', text: GO, tests: ['TestAdds/small'] };
const java = { path: 'src/test/java/TillTest.java', text: JAVA, tests: ['TillTest.adds()'] };

const ADDED = "  it('is new', () => {\n    expect(1).toBe(1);\n  });\n\n  it('opens for staff'";

it.each([
  ['another test', { ...script, from: "makeStaff('per')", to: "makeStaff('lena')" }],
  ['a test more', { ...script, from: "  it('opens for staff'", to: ADDED }],
  [
    'a group more',
    {
      ...script,
      from: "describe('drawer'",
      to: "describe('more', () => {\n  it('x', () => {});\n});\n\ndescribe('drawer'",
    },
  ],
  [
    'a test less',
    {
      ...script,
      from: "  it('opens for staff', () => {\n    expect(till.openFor(makeStaff('per'))).toBe(true);\n  });\n\n",
      to: '',
    },
  ],
  ['what is set up in another group', { ...script, from: 'openDrawer()', to: 'openDrawer(1)' }],
  ['a helper of another test', { ...script, from: 'return { name };', to: 'return { name, id: 1 };' }],
  ['a comment in it', { ...script, from: '    expect(till.sum', to: '    // Adds.\n    expect(till.sum' }],
  [
    'another test, where the log names a line alone',
    { ...script, tests: [], line: 20, from: "makeStaff('per')", to: "makeStaff('lena')" },
  ],
  ['another test', { ...python, from: 'open_for(staff)', to: 'open_for(staff, 1)' }],
  ['a fixture of another test', { ...python, from: "return 'per'", to: "return 'lena'" }],
  ['what is set up for another class', { ...python, from: 'till.drawer()', to: 'till.drawer(1)' }],
  ['another test', { ...go, from: 'Open(newStaff("per"))', to: 'Open(newStaff("lena"))' }],
  ['a helper of another test', { ...go, from: 'Staff{name}', to: 'Staff{name, 1}' }],
  ['another test', { ...java, from: 'assertOpen("per")', to: 'assertOpen("lena")' }],
  ['a helper of another test', { ...java, from: 'till.isOpen(name)', to: 'till.isOpen(name, 1)' }],
] as const)('%s is not what fails: %s', async (_, edit) => {
  expect(await isBeside(edit)).toBe(true);
});

it.each([
  ['it', { ...script, from: 'makeCart(1, 2)', to: 'makeCart(1, 3)' }],
  ['a line of it that goes', { ...script, from: '    expect(till.sum(makeCart(1, 2))).toBe(3);\n', to: '' }],
  ['what is set up for it', { ...script, from: 'till = openTill();', to: 'till = openTill(1);' }],
  [
    'what was set up and goes, in front of another test',
    {
      ...script,
      text: SCRIPT.replace("  it('opens", "  beforeEach(reset);\n\n  it('opens"),
      from: '  beforeEach(reset);\n\n',
      to: '',
    },
  ],
  ['a helper that it calls', { ...script, from: 'return { items };', to: 'return { items: [] };' }],
  ['a module that another test mocks', { ...script, from: "makeStaff('per')", to: "vi.mock('../src/till.js')" }],
  ['an import', { ...script, from: "'../src/till.js'", to: "'../src/till2.js'" }],
  ['itself, with a new name', { ...script, tests: ['till > adds all'], from: "it('adds'", to: "it('adds all'" }],
  [
    'a test with rows, of which one fails',
    { ...script, tests: ['till > counts 2'], from: 'till.count(count)', to: 'till.count(1)' },
  ],
  [
    'something, of a test that is not found',
    { ...script, tests: ['till > adds', 'somewhere else'], from: "makeStaff('per')", to: "makeStaff('lena')" },
  ],
  [
    'something, where nothing tells which test it is',
    { ...script, tests: [], from: "makeStaff('per')", to: "makeStaff('lena')" },
  ],
  ['what a fixture of it is', { ...python, from: 'return [1, 2]', to: 'return [1]' }],
  ['what is set up for all', { ...python, from: 'till.freeze()', to: 'till.freeze(1)' }],
  ['what is set up for it', { ...python, from: 'till.open()', to: 'till.open(1)' }],
  ['a helper that it calls', { ...go, from: 'Cart{items}', to: 'Cart{items, 1}' }],
  ['what is set up for all', { ...go, from: 'os.Exit(m.Run())', to: 'os.Exit(1)' }],
  ['what is set up for it', { ...java, from: 'new Till()', to: 'new Till(1)' }],
  ['a helper that it calls', { ...java, from: 'wanted, till.sum()', to: 'wanted + 1, till.sum()' }],
] as const)('%s is what fails: %s', async (_, edit) => {
  expect(await isBeside(edit)).toBe(false);
});

const FAKE_PY = `from shop import till


class FakeClient:
    def fetch(self, url):
        return 1


class TestTill:
    def test_adds(self):
        assert till.sum(FakeClient()) == 1

    def test_opens(self):
        assert till.opens()
`;
const FIX_PY = `import pytest


@pytest.fixture(name="cart")
def make_cart():
    return [1]


def test_adds(cart):
    assert sum(cart) == 1


def test_opens():
    assert 1
`;
const ASYNC_PY = `import unittest


class TestTill(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.till = 1

    def get_app(self):
        return 1

    async def test_adds(self):
        self.assertEqual(self.till, 1)

    async def test_opens(self):
        self.assertEqual(1, 1)
`;
const FAKE_JS = `/**
 * @jest-${'environment'} jsdom
 */
import { till } from '../src/till.js';

class FakeClient {
  fetch(url) {
    return 1;
  }
}

const store = {
  load() {
    return 1;
  },
};

describe('till', () => {
  it('adds', () => {
    expect(till(new FakeClient(), store)).toBe(1);
  });

  it('opens', () => {
    expect(1).toBe(1);
  });
});
`;
const FAKE_GO = `package till

type fakeStore struct {
	rows int
}

func (f fakeStore) Load() int {
	return f.rows
}

func TestAdds(t *testing.T) {
	if Sum(fakeStore{1}) != 3 {
		t.Fatal("sum")
	}
}

func TestOpens(t *testing.T) {
	Open(1)
}
`;
const NG = `class TillTest {
  @DataProvider(name = "rows")
  public Object[][] listRows() {
    return new Object[][] {{1}};
  }

  @Test(dataProvider = "rows")
  public void adds(int n) {
    assertSum(n);
  }

  @Test
  public void opens() {
    assertOpen("per");
  }
}
`;
const FAKE_JAVA = `class TillTest {
  static class FakeStore implements Store {
    @Override
    public int load() {
      return 1;
    }
  }

  @Test
  void adds() {
    assertEquals(1, new Till(new FakeStore()).sum());
  }

  @Test
  void opens() {
    assertOpen("per");
  }
}
`;
const RUBY = `# frozen_string_literal: true

require 'test_helper'

class TillTest < Minitest::Test
  def test_adds
    assert_equal 1, Till.sum
  end

  def test_opens
    assert Till.open
  end
end
`;
const PHP = `<?php
class TillTest extends TestCase
{
    public function rows(): array
    {
        return [[1]];
    }

    /**
     * @dataProvider rows
     */
    public function testAdds(int $n): void
    {
        $this->assertSame(1, $n);
    }

    public function testOpens(): void
    {
        $this->assertTrue(true);
    }

    protected function getPackageProviders($app)
    {
        return [1];
    }
}
`;
const RUST = `use till::sum;

struct FakeStore;

impl Store for FakeStore {
    fn load(&self) -> u32 {
        1
    }
}

#[test]
fn adds() {
    assert_eq!(sum(FakeStore), 1);
}

#[test]
fn opens() {
    assert!(true);
}
`;
const CS = `public class TillTests : IDisposable
{
    private class FakeStore : IStore
    {
        public int Load()
        {
            return 1;
        }
    }

    public void Dispose()
    {
        Till.Close();
    }

    [Fact]
    public void Adds()
    {
        Assert.Equal(1, new Till(new FakeStore()).Sum());
    }

    [Fact]
    public void Opens()
    {
        Assert.True(true);
    }
}
`;

it.each([
  [
    'what is handed over',
    {
      path: 'tests/test_till.py',
      text: FAKE_PY,
      tests: ['tests/test_till.py::TestTill::test_adds'],
      from: 'return 1',
      to: 'return 2',
    },
  ],
  [
    'a fixture by another name',
    {
      path: 'tests/test_till.py',
      text: FIX_PY,
      tests: ['tests/test_till.py::test_adds'],
      from: 'return [1]',
      to: 'return [2]',
    },
  ],
  [
    'what is set up for it',
    {
      path: 'tests/test_till.py',
      text: ASYNC_PY,
      tests: ['tests/test_till.py::TestTill::test_adds'],
      from: 'self.till = 1',
      to: 'self.till = 2',
    },
  ],
  [
    'what a base class calls',
    {
      path: 'tests/test_till.py',
      text: ASYNC_PY,
      tests: ['tests/test_till.py::TestTill::test_adds'],
      from: 'return 1',
      to: 'return 2',
    },
  ],
  [
    'what is handed over',
    { path: 'test/till.test.js', text: FAKE_JS, tests: ['till > adds'], from: 'return 1', to: 'return 2' },
  ],
  [
    'a function of an object that is handed over',
    {
      path: 'test/till.test.js',
      text: FAKE_JS,
      tests: ['till > adds'],
      from: 'load() {\n    return 1',
      to: 'load() {\n    return 2',
    },
  ],
  [
    'a comment that the runner reads',
    { path: 'test/till.test.js', text: FAKE_JS, tests: ['till > adds'], from: 'jsdom', to: 'node' },
  ],
  [
    'what is handed over',
    { path: 'till_test.go', text: FAKE_GO, tests: ['TestAdds'], from: 'return f.rows', to: 'return 2' },
  ],
  [
    'what has its rows, by another name',
    { path: 'src/test/java/TillTest.java', text: NG, tests: ['TillTest.adds'], from: '{{1}}', to: '{{2}}' },
  ],
  [
    'what is handed over',
    {
      path: 'src/test/java/TillTest.java',
      text: FAKE_JAVA,
      tests: ['TillTest.adds'],
      from: 'return 1',
      to: 'return 2',
    },
  ],
  [
    'a comment that Ruby reads',
    {
      path: 'test/till_test.rb',
      text: RUBY,
      tests: ['TillTest#test_adds'],
      from: '# frozen_string_literal: true\n',
      to: '# frozen_string_literal: false\n',
    },
  ],
  [
    'a comment that names its rows',
    {
      path: 'tests/TillTest.php',
      text: PHP,
      tests: ['TillTest::testAdds'],
      from: '@dataProvider rows',
      to: '@dataProvider lines',
    },
  ],
  [
    'what has its rows',
    { path: 'tests/TillTest.php', text: PHP, tests: ['TillTest::testAdds'], from: '[[1]]', to: '[[2]]' },
  ],
  [
    'what a base class calls',
    { path: 'tests/TillTest.php', text: PHP, tests: ['TillTest::testAdds'], from: 'return [1];', to: 'return [2];' },
  ],
  [
    'what is handed over',
    { path: 'tests/till.rs', text: RUST, tests: ['adds'], from: '        1\n', to: '        2\n' },
  ],
  [
    'what is handed over',
    { path: 'test/TillTests.cs', text: CS, tests: ['TillTests.Adds'], from: 'return 1', to: 'return 2' },
  ],
  [
    'what ends it',
    { path: 'test/TillTests.cs', text: CS, tests: ['TillTests.Adds'], from: 'Till.Close()', to: 'Till.Close(1)' },
  ],
] as const)('%s, which runs with it, is what fails: %s', async (_, edit) => {
  expect(await isBeside(edit)).toBe(false);
});
