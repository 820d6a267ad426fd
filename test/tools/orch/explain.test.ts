/** `orch explain`: kinds, fields, types and flags, each with the line of its schema. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runExplain } from '../../../tools/orch/explain.ts'
import { runHere } from '../../support/orch.ts'

const test = suite('tools/orch: explain')

const run = (...args: readonly string[]) => runHere(runExplain, args)

/** The line that an answer names. */
function lineOf(text: string, word = 'SCHEMA'): string {
  const [, file = '', line] = new RegExp(`^${word}: +(.*):(\\d+)$`, 'm').exec(text) ?? []
  return readFileSync(file, 'utf8').split('\n')[Number(line) - 1]?.trim() ?? ''
}

test('a kind is known by each of its names, and stands at a line of a schema', async () => {
  for (const name of ['Deployment', 'deployments', 'deploy', 'deployment']) {
    const { code, text } = await run(name)
    assert.is(code, 0, text)
    assert.match(text, /^KIND: +Deployment\nVERSION: +apps\/v1$/m)
    assert.is(lineOf(text), 'Deployment:')
    assert.match(text, /^ {2}spec +<DeploymentSpec>$/m)
  }
})

test('a field is found through lists and references, with its facts', async () => {
  const replicas = await run('deployment.spec.replicas')
  assert.match(replicas.text, /^FIELD: +spec.replicas <integer, int32>$/m)
  assert.match(replicas.text, '\n  default: 1\n  minimum: 0')
  assert.is(lineOf(replicas.text), 'replicas:')
  const os = await run('pods.spec.os')
  assert.match(os.text, '\n  since: "1.23"')
  const policy = await run('jobs.spec.podFailurePolicy')
  assert.match(policy.text, '\n  feature-gate: "JobPodFailurePolicy"\n  since: "1.25"')
  assert.match((await run('CronJob')).text, '\n  since: "1.21"')
  const containers = await run('pods.spec.containers')
  assert.match(containers.text, '<[]Container>')
  assert.is(lineOf(containers.text, 'DEFINED'), 'Container:')
  assert.match(containers.text, /^ {2}name +<string> -required-$/m)
})

test('--recursive opens types, but none within itself', async () => {
  const { text } = await run('customresourcedefinitions', '--recursive')
  assert.match(text, /^ {4}versions +<\[\]/m)
  const flat = await run('customresourcedefinitions')
  assert.ok(flat.text.split('\n').length < text.split('\n').length)
})

test('a version is chosen, and one that is not there is told with those that are', async () => {
  assert.match((await run('hpa')).text, /^VERSION: +autoscaling\/v2$/m)
  assert.match((await run('hpa', '--api-version', 'autoscaling/v1')).text, /autoscaling\/v1$/m)
  const { code, text } = await run('hpa', '--api-version', 'autoscaling/v7')
  assert.is(code, 1)
  assert.match(text, 'it is in autoscaling/v1, autoscaling/v2')
})

test('types and flags are explained, too', async () => {
  assert.match((await run('PodSpec.containers')).text, /^TYPE: +PodSpec$/m)
  const flag = await run('orch-scheduler', '--scheduler-name')
  assert.match(flag.text, 'FLAG:     --scheduler-name <strings>')
  assert.is(lineOf(flag.text), '- flag: scheduler-name')
  const { text } = await run('orchlet', '--max-pods')
  assert.match(text, 'FLAG:     --max-pods <int32>')
  assert.match(text, 'FIELD:    OrchletConfiguration.maxPods')
  assert.match(text, 'How many pods the agent runs at most.')
  assert.match(text, 'deprecated: "set \\"maxPods\\" in the file that --config names"')
  assert.match((await run('orch-scheduler')).text, '--percentage-of-nodes-to-score')
})

test('what is not there is told with what is near', async () => {
  assert.match((await run('Deploymant')).text, 'did you mean "Deployment"?')
  assert.match((await run('deployment.spec.replica')).text, 'did you mean "replicas"?')
  assert.match(
    (await run('orch-scheduler', 'schedulername')).text,
    'did you mean "scheduler-name"?',
  )
  assert.is((await run('../x')).code, 1)
  assert.is((await run()).code, 2)
})

test.run()
