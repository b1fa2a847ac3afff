"""Equations as MathML, which browsers draw themselves: no script, no font, no network."""

from docutils.utils.math.latex2mathml import tex2mathml


def _inline(translator, node):
    translator.body.append(tex2mathml(node.astext(), as_block=False))
    _skip()


def _block(translator, node):
    translator.body.append('<div class="math-block">')
    translator.body.append(tex2mathml(node.astext(), as_block=True))
    translator.body.append("</div>")
    _skip()


def _skip():
    from docutils.nodes import SkipNode

    raise SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
