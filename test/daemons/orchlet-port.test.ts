import { writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodes } from '../../generated/apis/core/v1/node.ts'
import { startControlPlane } from '../../runtime/testing/testing.ts'
import { startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const port = suite('daemons/orchlet: its port')
const command = fileURLToPath(new URL('../../packed/orchlet.js', import.meta.url))

/** An answer of the port. */
interface Answer {
  readonly status: number | undefined
  readonly text: string
}

function asked(at: number, path: string, token = ''): Promise<Answer> {
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: at, path, headers, rejectUnauthorized: false, agent: false },
      (answer) => {
        let text = ''
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.on('end', () => resolve({ status: answer.statusCode, text }))
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

async function withAgent(
  flags: readonly string[],
  check: (at: number) => Promise<void>,
): Promise<void> {
  const plane = await startControlPlane({ socket: true, controllers: [] })
  const folder = tempDirectory()
  const config = join(folder, 'orchconfig')
  writeFileSync(config, plane.orchconfig ?? '')
  const agent = await startProgram(command, [
    ...[`--orchconfig=${config}`, `--root-dir=${join(folder, 'agent')}`, '--hostname-override=n1'],
    ...[
      '--healthz-port=0',
      '--fail-swap-on=false',
      '--address=127.0.0.1',
      '--port=0',
      '--container-runtime-endpoint=embedded',
      ...flags,
    ],
  ])
  try {
    const node = await plane.client.resource(nodes).get('n1')
    const told = node.status?.daemonEndpoints?.orchletEndpoint?.Port ?? 0
    assert.ok(told > 0, 'the node tells the port')
    await check(told)
  } finally {
    assert.is(await agent.stop(), 0)
    await plane.stop()
  }
}

// G-05
port('without a word of flags, nobody is served who is not known', () =>
  withAgent([], async (at) => {
    assert.equal(await asked(at, '/pods'), { status: 401, text: 'Unauthorized\n' })
    assert.is((await asked(at, '/pods', 'wrong')).status, 401)
  }),
)

port('with everything allowed it tells of pods and of what they use', () =>
  withAgent(['--anonymous-auth', '--authorization-mode=AlwaysAllow'], async (at) => {
    assert.is(JSON.parse((await asked(at, '/pods')).text).kind, 'PodList')
    assert.is(JSON.parse((await asked(at, '/runningpods/')).text).kind, 'PodList')
    assert.is(JSON.parse((await asked(at, '/stats/summary')).text).node.nodeName, 'n1')
    assert.match((await asked(at, '/metrics/resource')).text, /^node_memory_working_set_bytes \d+/m)
    assert.match((await asked(at, '/metrics')).text, /^process_start_time_seconds /m)
    assert.equal(await asked(at, '/healthz'), { status: 200, text: 'ok' })
    assert.is(JSON.parse((await asked(at, '/configz')).text).orchletconfig.port, 0)
    assert.is((await asked(at, '/exec/default/none/main?command=ls&output=1')).status, 400)
    assert.equal(await asked(at, '/containerLogs/default/none/main'), {
      status: 404,
      text: 'pod "none" does not exist\n',
    })
    assert.is((await asked(at, '/logs/..%2f..%2fetc%2fhosts')).status, 404)
    assert.is((await asked(at, '/logs/%2e%2e/%2e%2e/etc/hosts')).status, 404)
    assert.is((await asked(at, '/nothing')).status, 404)
  }),
)

port.run()
