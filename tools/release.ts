/**
 * Makes a release: everything is tested and checked, CHANGELOG.md gets the date, package.json the version, and the commit an
 * annotated tag, which is what `npm run check` compares schemas with from then on. Nothing leaves this machine.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repositoryOf } from './orch/git.ts'
import { planRelease } from './release/plan.ts'

const usage = `usage: npm run release -- [--dry-run]

Releases the version that CHANGELOG.md calls "(unreleased)": tests, checks, dates the changelog, commits, tags v<version>.

  --dry-run   says what would be done and changes nothing`

const root = fileURLToPath(new URL('../../', import.meta.url))
const args = process.argv.slice(2)
const unknown = args.find((arg) => arg !== '--dry-run' && arg !== '--help')
if (args.includes('--help')) console.log(usage)
else if (unknown === undefined) process.exitCode = release(args.includes('--dry-run'))
else {
  console.error(`unknown option ${unknown}\n\n${usage}`)
  process.exitCode = 2
}

/** The exit code: 1 if something keeps the version from being released. */
function release(dryRun: boolean): number {
  const repository = repositoryOf(root)
  const tags = typeof repository === 'string' ? repository : repository.releases()
  if (typeof tags === 'string') return refuse([tags])
  const [changelog, manifest] = ['CHANGELOG.md', 'package.json'].map(read)
  const uncommitted = git('status', '--porcelain').split('\n').filter(Boolean)
  const date = new Date().toISOString().slice(0, 10)
  const plan = planRelease(
    {
      changelog: changelog ?? '',
      manifest: manifest ?? '',
      tags,
      uncommitted: uncommitted.map((line) => line.slice(3)),
    },
    date,
  )
  if ('length' in plan) return refuse(plan)
  console.log(`${plan.tag}: CHANGELOG.md is dated ${date}, package.json says ${plan.version}`)
  if (dryRun) return 0
  for (const script of ['test', 'check']) {
    if (spawnSync('npm', ['run', '-s', script], { cwd: root, stdio: 'inherit' }).status !== 0) {
      return refuse([`npm run ${script} failed`])
    }
  }
  writeFileSync(join(root, 'CHANGELOG.md'), plan.changelog)
  writeFileSync(join(root, 'package.json'), plan.manifest)
  git('commit', '--quiet', '--message', `release: ${plan.version}`, 'CHANGELOG.md', 'package.json')
  git('tag', '--annotate', plan.tag, '--message', `orch ${plan.version}`)
  console.log(`tagged ${plan.tag}; to publish it: git push --follow-tags`)
  return 0
}

/** Says why nothing is released. */
function refuse(problems: readonly string[]): number {
  for (const problem of problems) console.error(`not released: ${problem}`)
  return 1
}

function read(name: string): string {
  return readFileSync(join(root, name), 'utf8')
}

/** What git prints. Throws if it fails. */
function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' })
}
