#!/usr/bin/env node
import { options } from '../../generated/options/orch-apiserver.ts'
import { tree } from '../../generated/tree.ts'
import { run } from '../run.ts'
import { apiServer } from './apiserver.ts'

await run((terminal, signal) => apiServer({ options, tree }, terminal, signal))
