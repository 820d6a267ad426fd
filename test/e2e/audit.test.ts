/** The audit log as an administrator meets it: flags, a policy file, what kubectl commands leave, and the end. U-03, U-05 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultKubectl, kubectl } from '../support/kubectl.ts'
import {
  apiserverCommand,
  clusterControllers,
  orchCommand,
  runNode,
  startProgram,
} from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const test = suite('e2e: audit')

function policyFile(folder: string, rules: string): string {
  const file = join(folder, 'policy.yaml')
  writeFileSync(file, `apiVersion: audit.orch.io/v1\nkind: Policy\nrules:\n${rules}`)
  return file
}

interface Line {
  readonly verb: string
  readonly stage: string
  readonly user: { readonly username: string }
  readonly objectRef?: { readonly resource: string; readonly name?: string }
}

function linesOf(file: string): readonly Line[] {
  return recordsIn(readFileSync(file, 'utf8'))
}

function recordsIn(text: string): readonly Line[] {
  const lines = text.trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Line)
}

test('everything that is wrong with a policy is told with its place', async () => {
  const file = policyFile(
    tempDirectory(),
    '- level: Some\n- level: Metadata\n  nonResourceURLs: ["a*b"]\n  namespaces: [x]\n',
  )
  const { code, stderr } = await runNode(apiserverCommand, [`--audit-policy-file=${file}`])
  assert.is(code, 1)
  assert.match(stderr, `${file}:4:10: rules[0].level: Unsupported value: "Some"`)
  assert.match(stderr, `${file}:6:20: rules[1].nonResourceURLs: a rule cannot be about both`)
  assert.match(stderr, `${file}:6:21: rules[1].nonResourceURLs[0]: must begin with "/"`)
  assert.match(stderr, '"*" can only stand at the end')
})

for (const mode of ['blocking', 'batch']) {
  test(`mode ${mode}: nothing is lost when the server is told to stop`, async () => {
    const folder = tempDirectory()
    const log = join(folder, 'audit.log')
    const running = await startProgram(apiserverCommand, [
      '--insecure-port=0',
      `--audit-policy-file=${policyFile(folder, '- level: Metadata\n')}`,
      `--audit-log-path=${log}`,
      `--audit-log-mode=${mode}`,
    ])
    const asked = Array.from({ length: 100 }, () => fetch(`${running.url}/api/v1/namespaces`))
    for (const reply of await Promise.all(asked)) await reply.text()
    assert.is(await running.stop(), 0)
    assert.is(linesOf(log).length, 200)
  })
}

test('"-" prints each record as a line of standard output', async () => {
  const folder = tempDirectory()
  const running = await startProgram(apiserverCommand, [
    '--insecure-port=0',
    `--audit-policy-file=${policyFile(folder, "- level: Metadata\n  nonResourceURLs: ['/version']\n")}`,
    '--audit-log-path=-',
  ])
  let printed = ''
  running.process.stdout?.on('data', (text: string) => {
    printed += text
  })
  await (await fetch(`${running.url}/version`)).text()
  await (await fetch(`${running.url}/api/v1/namespaces`)).text()
  assert.is(await running.stop(), 0)
  const stages = recordsIn(printed).map(({ verb, stage }) => `${verb} ${stage}`)
  assert.equal(stages, ['get RequestReceived', 'get ResponseComplete'])
})

test('a log without a policy records nothing, and says so', async () => {
  const { code, stderr } = await runNode(apiserverCommand, ['--audit-log-path=-', '--check-config'])
  assert.is(code, 0)
  assert.match(stderr, 'no audit policy file is given: --audit-log-path records nothing')
})

const found = defaultKubectl()
if (found === undefined) console.log('SKIP kubectl and the audit log: there is no kubectl in PATH')
else {
  test('kubectl commands leave their lines in the log of orch up', async () => {
    const folder = tempDirectory()
    const log = join(folder, 'audit.log')
    const orchconfig = join(folder, 'orchconfig')
    const rules = '- level: Metadata\n  resources: [{group: "", resources: [configmaps]}]\n'
    const running = await startProgram(orchCommand, [
      'up',
      clusterControllers,
      `--orchconfig=${orchconfig}`,
      `--audit-policy-file=${policyFile(folder, `${rules}  omitStages: [RequestReceived]\n`)}`,
      `--audit-log-path=${log}`,
    ])
    const ctl = kubectl(found, orchconfig, folder)
    await ctl.ok('create configmap made --from-literal=a=b')
    await ctl.ok('get configmap made')
    await ctl.ok('label configmap made x=y')
    await ctl.ok('get configmaps')
    await ctl.ok('delete configmap made --wait=false')
    await running.stop()
    const lines = linesOf(log).filter(({ user }) => user.username === 'orch-admin')
    const left = lines.map(({ verb, stage, objectRef }) => {
      assert.is(stage, 'ResponseComplete')
      return `${verb} ${objectRef?.name ?? '*'}`
    })
    assert.equal(left, [
      'create made',
      'get made',
      'get made',
      'patch made',
      'list *',
      'delete made',
    ])
  })
}

test.run()
