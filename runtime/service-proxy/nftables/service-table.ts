import { spawn } from 'node:child_process'
import type { Frontend } from '../contract/plan.ts'
import { type TableContent, type TableFacts, tableRemoval, tableScript } from './script.ts'

/** A table of the kernel that leads frontends. */
export interface ServiceTable {
  /** @throws an Error with what nftables says; then everything is as it was. */
  lead(frontends: readonly Frontend[]): Promise<void>
  remove(): Promise<void>
}

/** A table of each family under one name. Nothing is known of what stands there before the first call of `lead`. */
export function serviceTable(name: string, nodeAddresses: readonly string[]): ServiceTable {
  const tables = ([4, 6] as const).map((family) => ({ name, family, nodeAddresses }))
  const content = new Map<TableFacts, TableContent>()
  return {
    async lead(frontends) {
      const scripts = tables.map((facts) => ({
        facts,
        ...tableScript(frontends, facts, content.get(facts)),
      }))
      await runNft(scripts.map(({ text }) => text).join(''))
      for (const { facts, content: now } of scripts) content.set(facts, now)
    },
    async remove() {
      content.clear()
      await runNft(tables.map(tableRemoval).join(''))
    },
  }
}

const mostErrorText = 2_000

/** Runs commands, all or none of them. @throws an Error that says what is wrong. */
function runNft(script: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const run = spawn('nft', ['-f', '-'], { stdio: ['pipe', 'ignore', 'pipe'] })
    let told = ''
    run.stderr.on('data', (chunk) => {
      if (told.length < mostErrorText) told += chunk
    })
    run.on('error', reject)
    run.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`nft: ${told.trim().slice(0, mostErrorText) || `exit code ${code}`}`))
    })
    run.stdin.on('error', () => {})
    run.stdin.end(script)
  })
}
