import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  createCriRuntime,
  isRuntimeError,
} from '../../../runtime/container-runtime/container-runtime.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { runWithContainerd, whyNoContainerd } from '../../support/containerd.ts'
import { tempDirectory } from '../../support/temp.ts'

const containers = suite('runtime/container-runtime over containerd')

const conformance = fileURLToPath(new URL('conformance.test.js', import.meta.url))

containers('containerd is the same runtime', async () => {
  const why = whyNoContainerd()
  if (why !== '') {
    console.log(`SKIP containerd: ${why}`)
    return
  }
  const folder = tempDirectory()
  const { code, stdout, stderr } = await runWithContainerd(folder, [process.execPath, conformance])
  const log = code === 0 ? '' : readFileSync(join(folder, 'log'), 'utf8').slice(-4000)
  assert.is(code, 0, stdout + stderr + log)
})

containers('a runtime that takes calls and never answers is told by the call', async () => {
  const path = join(tempDirectory(), 'silent.sock')
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => void sockets.add(socket.on('error', () => {}))).listen(
    path,
  )
  await once(silent, 'listening')
  const runtime = await createCriRuntime({
    ...{ endpoint: `unix://${path}`, clock: systemClock, requestMs: 200 },
  })
  for (const [name, call] of [
    ['Status', () => runtime.check()],
    ['Version', () => runtime.version()],
    ['ListContainers', () => runtime.listContainers()],
  ] as const) {
    const error = await call().catch((problem) => problem)
    assert.ok(isRuntimeError(error, 'Unavailable'), String(error))
    assert.is(error.message, `the container runtime did not answer ${name} within 0.2s`)
  }
  await runtime.close()
  for (const socket of sockets) socket.destroy()
  silent.close()
})

containers.run()
