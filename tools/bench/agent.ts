/** What pods cost on a node: an agent over the embedded runtime, and over containerd where this machine has it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Invocation, whyNoContainerd, withContainerd } from '../containerd.ts'
import type { AgentFigures } from './agent-process.ts'
import type { Report } from './report.ts'

const command = [process.execPath, fileURLToPath(new URL('./agent-process.js', import.meta.url))]
/** ORCH_BENCH_RUNTIME chooses one of them. */
const wanted = process.env.ORCH_BENCH_RUNTIME ?? ''

/** Both runtimes, one after the other. */
export async function bench(report: Report): Promise<void> {
  if (wanted !== 'containerd') {
    const [program = '', ...words] = command
    tell(report, 'embedded', 100, await figuresOf({ program, words, env: {} }))
  }
  if (wanted === 'embedded') return
  const why = whyNoContainerd()
  if (why !== '') return console.log(`not measured over containerd: ${why}`)
  const folder = mkdtempSync(join(tmpdir(), 'bench-containerd-'))
  try {
    tell(report, 'containerd', 500, await figuresOf(withContainerd(folder, command)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A process of its own measures: with containerd it is in namespaces that end with it. */
async function figuresOf({ program, words, env }: Invocation): Promise<AgentFigures> {
  const child = spawn(program, words, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const line = said.trim().split('\n').at(-1) ?? ''
  if (!line.startsWith('{')) throw new Error(`no figures: ${said}`)
  return JSON.parse(line) as AgentFigures
}

function tell(report: Report, runtime: string, mostStartMs: number, found: AgentFigures): void {
  const alone = { name: 'the runtime alone', value: found.runtimeMs }
  const row = (name: string, value: number, unit: string, atMost?: number) =>
    report(
      `${runtime}: ${name}`,
      value,
      unit,
      undefined,
      atMost === undefined ? undefined : { atMost },
    )
  const { start, restart, line } = found
  report(`${runtime}: create to Running, p50`, start.p50, 'ms', alone, { atMost: mostStartMs })
  report(`${runtime}: create to Running, p95`, start.p95, 'ms', alone)
  row('a killed container runs again, p50', restart.p50, 'ms', 1000)
  row('  the same, p95', restart.p95, 'ms', 1000)
  if (line !== undefined) {
    row('a line reaches kubectl logs -f, p50', line.p50, 'ms', 200)
    row('  the same, p95', line.p95, 'ms', 200)
  }
  row(`${found.pods} pods: of a core`, found.idlePercent, '%', 3)
  row(`${found.pods} pods: memory of the agent`, found.megabytes, 'MB', 150)
  if (found.runtimePercent > 0) row('  the runtime beside it: of a core', found.runtimePercent, '%')
  row('a killed agent has adopted them', found.adoptionMs, 'ms', 2000)
  row('  containers that were started again', found.restarted, 'containers', 0)
}
