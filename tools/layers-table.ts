/** Writes the layers into ARCHITECTURE.md, between their markers. */
import { readFileSync, writeFileSync } from 'node:fs'
import { withLayersTable } from './check/docs.ts'

const file = new URL('../../ARCHITECTURE.md', import.meta.url)
writeFileSync(file, withLayersTable(readFileSync(file, 'utf8')))
