#!/usr/bin/env node
import { features } from '../../generated/features.ts'
import { options } from '../../generated/options/orch-apiserver.ts'
import { tree } from '../../generated/tree.ts'
import { run } from '../run.ts'
import { apiServer } from './apiserver.ts'

await run((terminal, signal) => apiServer({ options, features, tree }, terminal, signal))
