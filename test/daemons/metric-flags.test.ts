/** The flags about metrics, at the daemon that serves them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { apiserverCommand, runNode, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const test = suite('daemons: flags about metrics')

const folder = tempDirectory()

function manifest(text: string): string {
  const file = join(folder, 'labels.yaml')
  writeFileSync(file, text)
  return file
}

/** What a daemon shows after a request that is answered and one that is not. */
async function shown(...flags: readonly string[]): Promise<string> {
  const running = await startProgram(apiserverCommand, ['--insecure-port=0', ...flags])
  await fetch(`${running.url}/api/v1/namespaces`)
  await fetch(`${running.url}/api/v1/namespaces/nowhere`)
  const text = await (await fetch(`${running.url}/metrics`)).text()
  assert.is(await running.stop(), 0)
  return text
}

// D2.51, D2.3
test('--disabled-metrics and --allow-metric-labels are acted on; gates are told', async () => {
  const text = await shown(
    '--disabled-metrics=apiserver_response_sizes,process_open_fds',
    '--allow-metric-labels=apiserver_request_total,code=200',
    `--allow-metric-labels-manifest=${manifest('apiserver_request_total,verb: LIST\n')}`,
    '--feature-gates=WatchList=true',
  )
  assert.not.match(text, 'apiserver_response_sizes')
  assert.match(text, 'disabled_metrics_total 2\n')
  assert.match(text, /request_total\{verb="GET",.*resource="namespaces".*code="unexpected"\} 1\n/)
  assert.match(text, /request_total\{verb="LIST",.*resource="namespaces".*code="200"\} 1\n/)
  assert.match(text, 'orch_feature_enabled{name="WatchList",stage="ALPHA"} 1\n')
})

// D2.4
test('the manifest counts where the flag says nothing', async () => {
  const file = manifest('# labels\napiserver_request_total,verb: "LIST,WATCH"\n')
  const text = await shown(`--allow-metric-labels-manifest=${file}`)
  assert.match(text, /request_total\{verb="unexpected",.*code="404"\} 1\n/)
  assert.match(text, /request_total\{verb="LIST",.*code="200"\} 1\n/)
})

// D2.4, D2.116
test('what cannot be understood keeps the server from starting, and says where it stands', async () => {
  const file = manifest('apiserver_request_total,verb: [LIST]\nverb: LIST\n')
  const cases: readonly (readonly [flag: string, why: string])[] = [
    ['--show-hidden-metrics-for-version=1.27', 'must be left out or 1.28'],
    [
      '--allow-metric-labels=verb=LIST',
      '--allow-metric-labels: "verb" must be the name of a metric',
    ],
    [
      `--allow-metric-labels-manifest=${file}`,
      `${file}:1:31: apiserver_request_total,verb: expected`,
    ],
    [`--allow-metric-labels-manifest=${file}`, '--allow-metric-labels-manifest: "verb" must be'],
    ['--allow-metric-labels-manifest=nothing.yaml', 'nothing.yaml: there is no such file'],
  ]
  for (const [flag, why] of cases) {
    const { code, stderr } = await runNode(apiserverCommand, ['--insecure-port=0', flag])
    assert.is(code, 1)
    assert.match(stderr, why)
  }
})

test('a name that no metric has is told, with the nearest one', async () => {
  const flags = ['--disabled-metrics=apiserver_request_totl', '--check-config']
  const { code, stderr } = await runNode(apiserverCommand, flags)
  assert.is(code, 0)
  assert.match(stderr, 'no metric apiserver_request_totl; did you mean apiserver_request_total?')
})

test.run()
