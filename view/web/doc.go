// Package web serves a [view.View] to browsers: the page, and the interface that it reads. docs/view.md
// describes both.
package web
