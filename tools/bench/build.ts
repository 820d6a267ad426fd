import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Report } from './report.ts'
import { median } from './servers.ts'

const command = fileURLToPath(new URL('../orch/main.js', import.meta.url))

/** How long a configuration of 500 objects takes, with the start of the process. */
export async function bench(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'orch-bench-'))
  try {
    await writeFile(join(folder, 'shop.config.ts'), shop)
    const limit = { name: 'an empty node process', value: timeOf(['-e', '0']) }
    const args = [command, 'build', join(folder, 'shop.config.ts'), '--root', folder]
    report('orch build, 500 objects', timeOf(args), 'ms', limit, { atMost: 1000 })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The median of some runs in milliseconds. */
function timeOf(args: readonly string[]): number {
  const times = Array.from({ length: 7 }, () => {
    const start = performance.now()
    const { status, stderr } = spawnSync(process.execPath, args)
    if (status !== 0) throw new Error(String(stderr))
    return performance.now() - start
  })
  return median(times)
}

const shop = `
const server = (name: string) => {
  const labels = { app: name }
  const limits = { memory: '128Mi' }
  const web = { name: 'web', image: 'registry.example.org/web:1.4', ports: [{ containerPort: 8080 }], resources: { limits } }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'shop', labels },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [web] } } },
  }
}
const settings = (name: string) => {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' }, data: { level: 'info' } }
}
export default Array.from({ length: 250 }, (_, at) => [server(\`web-\${at}\`), settings(\`settings-\${at}\`)])
`
