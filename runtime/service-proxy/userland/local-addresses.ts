import { spawn } from 'node:child_process'
import { familyOf } from '../../kernel/values/ip-ranges.ts'

/** Addresses that this machine takes for its own, so that programs can listen there. */
export interface LocalAddresses {
  /** From now on these are. @throws an Error with what `ip` says. */
  use(addresses: ReadonlySet<string>): Promise<void>
  remove(): Promise<void>
}

/** Routes of ours bear this number of a protocol, by which they are found again. */
const protocol = '142'

/** Makes addresses local by routes, which need `ip` and root; those of loopback are local anyway. */
export function localAddresses(): LocalAddresses {
  let known: ReadonlySet<string> = new Set()
  const route = (verb: string, address: string): string =>
    `route ${verb} local ${address} dev lo proto ${protocol}`
  return {
    async use(addresses) {
      const wanted = new Set([...addresses].filter((one) => !one.startsWith('127.')))
      const lines = [
        ...[...wanted].filter((one) => !known.has(one)).map((one) => route('replace', one)),
        ...[...known].filter((one) => !wanted.has(one)).map((one) => route('del', one)),
      ]
      await runIp(lines)
      known = wanted
    },
    async remove() {
      const lines = [...known].map((one) => route('del', one))
      known = new Set()
      await runIp(lines)
    },
  }
}

/** Runs commands of both families, each of them whatever becomes of the others. */
async function runIp(lines: readonly string[]): Promise<void> {
  const ofFamily = (family: 4 | 6) =>
    lines.filter((line) => familyOf(line.split(' ')[3] ?? '') === family)
  await runBatch('-4', ofFamily(4))
  await runBatch('-6', ofFamily(6))
}

function runBatch(family: '-4' | '-6', lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const run = spawn('ip', [family, '-force', '-batch', '-'], {
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    let told = ''
    run.stderr.on('data', (chunk) => {
      if (told.length < 1000) told += chunk
    })
    run.on('error', reject)
    run.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`ip: ${told.trim() || `exit code ${code}`}`))
    })
    run.stdin.on('error', () => {})
    run.stdin.end(`${lines.join('\n')}\n`)
  })
}
