/** What an operator costs that has nothing to do: the memory of a process with a manager and ten informers, whose server is another process. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { orchconfigText } from '../../runtime/client/client.ts'
import type { Report } from './report.ts'
import { residentMegabytes, startServer } from './servers.ts'

/** How long it has nothing to do before it is measured. */
const idleMs = 5000

/** Memory of an operator once its caches are filled, and after it had nothing to do. */
export async function bench(report: Report): Promise<void> {
  const server = await startServer('memory')
  const folder = await mkdtemp(join(tmpdir(), 'bench-operator-'))
  const { host, port } = server.address
  const orchconfig = join(folder, 'orchconfig')
  await writeFile(orchconfig, orchconfigText({ name: 'bench', server: `http://${host}:${port}` }))
  const operator = fork(new URL('./operator-process.js', import.meta.url), [orchconfig])
  await once(operator, 'message')
  report('memory of an operator that begins', residentMegabytes(operator.pid ?? 0), 'MB')
  await setTimeout(idleMs)
  const idle = residentMegabytes(operator.pid ?? 0)
  report('memory of an idle operator', idle, 'MB', undefined, { atMost: 90 })
  operator.kill()
  await once(operator, 'exit')
  await server.stop()
  await rm(folder, { recursive: true })
}
