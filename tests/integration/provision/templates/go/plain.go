//go:build !sprig

package main

import "text/template"

func functions() template.FuncMap { return template.FuncMap{} }
