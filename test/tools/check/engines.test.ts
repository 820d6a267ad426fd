import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { admits, checkEngines } from '../../../tools/check/engines.ts'

const test = suite('tools/check: engines')

const oldest = '20.17'

const ranges: readonly (readonly [range: string, admits: boolean])[] = [
  ['*', true],
  ['', true],
  ['>=18', true],
  ['>= 0.6.x', true],
  ['>= 10.x', true],
  ['>=20.17.0', true],
  ['>=20.17.1', false],
  ['>=22.19', false],
  ['>20', false],
  ['>18', true],
  ['^20.17.0 || >=22.9.0', true],
  ['^20.18.0 || >=22.9.0', false],
  ['18 || 20 || >=22', true],
  ['18 || >=22', false],
  ['6.* || 8.* || >= 10.*', true],
  ['>=16 || 14 >=14.17', true],
  ['>=14 <20', false],
  ['>=14 <=20', true],
  ['<20.17', false],
  ['~20.17', true],
  ['~20.16.3', false],
  ['=20.17.0', true],
]

for (const [range, expected] of ranges) {
  test(`"${range}" ${expected ? 'admits' : 'does not admit'} Node ${oldest}`, () => {
    assert.is(admits(range, oldest), expected)
  })
}

test('a package that does not run on the oldest Node is told, unless only developers install it', () => {
  const packages = {
    '': { engines: { node: '>=20.17' } },
    'node_modules/a': { version: '1.0.0', engines: { node: '>=18' } },
    'node_modules/a/node_modules/@b/c': { version: '2.0.1', engines: { node: '>=22.19' } },
    'node_modules/d': { version: '3.0.0', dev: true, engines: { node: '>=24' } },
    'node_modules/e': { version: '4.0.0' },
  }
  assert.equal(checkEngines(packages), [
    '@b/c 2.0.1 wants Node >=22.19, package.json promises 20.17',
  ])
})

test('a promise that names no oldest Node is a problem', () => {
  assert.equal(checkEngines({ '': { engines: { node: '20 || 22' } } }).length, 1)
  assert.equal(checkEngines({}).length, 1)
})

test.run()
