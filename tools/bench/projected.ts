/** What an operator keeps of many large objects of which it reads one field: a process of its own, whose server is another one. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startControlPlane } from 'orch/testing'
import { createSecrets, type Projected } from './projected-secrets.ts'
import type { Report } from './report.ts'

const secrets = { objects: 30_000, valueBytes: 6000 }

/** The heap once they are cached, and the largest size that the process had. */
export async function bench(report: Report): Promise<void> {
  await using plane = await startControlPlane({ socket: true })
  await createSecrets(plane, secrets)
  const folder = await mkdtemp(join(tmpdir(), 'bench-projected-'))
  const orchconfig = join(folder, 'orchconfig')
  await writeFile(orchconfig, plane.orchconfig ?? '')
  const operator = fork(new URL('./projected-process.js', import.meta.url), [orchconfig], {
    execArgv: ['--expose-gc'],
  })
  const [{ heapBytes, peakBytes }] = (await once(operator, 'message')) as [Projected]
  await once(operator, 'exit')
  await rm(folder, { recursive: true })
  const whole = {
    name: 'the objects as text',
    value: (secrets.objects * secrets.valueBytes) / 2 ** 20,
  }
  const figures = [heapBytes, peakBytes].map((bytes) => bytes / 2 ** 20)
  report(`heap with a field of ${secrets.objects} objects`, figures[0] ?? 0, 'MiB', whole, {
    atMost: 80,
  })
  report('largest size of its process', figures[1] ?? 0, 'MiB', whole)
}
