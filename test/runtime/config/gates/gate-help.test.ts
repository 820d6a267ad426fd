import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { features } from '../../../../generated/features.ts'
import { FeatureGates, gateHelp } from '../../../../runtime/config/config.ts'
import { currentRelease } from '../../../../runtime/kernel/descriptors/feature-gate.ts'
import { apiserverCommand, runProgram } from '../../../support/orch.ts'

const test = suite('runtime/config: help about gates')

// A9.19
test('the help lists the gates whose time is running out, and says whether setting them does anything', () => {
  assert.is(
    gateHelp([
      {
        gate: 'New',
        description: '',
        releases: [{ since: '1.29', stage: 'Alpha', default: false }],
      },
      { gate: 'Done', description: '', releases: [{ since: '1.28', stage: 'GA', default: true }] },
      {
        gate: 'Old',
        description: '',
        releases: [{ since: '1.27', stage: 'Deprecated', default: false }],
      },
      {
        gate: 'Dead',
        description: '',
        releases: [{ since: '1.29', stage: 'Deprecated', default: false, locked: true }],
      },
    ]),
    `Deprecated feature gates:

  Done  GA since 1.28, on; non-operational
  Old   deprecated since 1.27, off; can still be set
  Dead  deprecated since 1.29, off; non-operational
`,
  )
  assert.is(gateHelp([]), '')
})

// A9.19, A3.7, A3.9
test('what it says of each gate is what setting it does', () => {
  const lines = gateHelp(features).split('\n').slice(2, -1)
  const old = features.filter((gate) => /GA|Deprecated/.test(currentRelease(gate).stage))
  assert.is(lines.length, old.length)
  assert.ok(old.length > 30)
  old.forEach((gate, index) => {
    const value = !currentRelease(gate).default
    const { errors } = new FeatureGates(features).with(new Map([[gate.gate, value]]))
    assert.is(lines[index]?.endsWith('non-operational'), errors.size > 0, lines[index])
  })
})

// A9.19
test('the API server lists them', async () => {
  const { stdout } = await runProgram(process.execPath, [apiserverCommand, '--help'])
  assert.match(stdout, /^ {2}KMSv1 +deprecated since 1\.28, off; can still be set$/m)
})

test.run()
