//go:build sprig

package main

import (
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

func functions() template.FuncMap { return sprig.GenericFuncMap() }
