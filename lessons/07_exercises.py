import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="7. Exercises")

with app.setup(hide_code=True):
    import marimo as mo
    from exercises import EXERCISES


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 7. Exercises

    *Eleven of them, for lessons 1 to 6. You need a pen. Answers are checked at once, and exactly: by the same
    functions that decide the claims, in rational arithmetic and with exact angles.*

    Type an answer and press Enter (or leave the field). Wrong answers are told what is missing. Under each exercise
    there is a hint and a solution to unfold; a right answer that is not the printed solution counts as well.
    """)
    return


@app.cell(hide_code=True)
def _():
    answers = mo.ui.dictionary(
        {
            _each.name: mo.ui.dropdown(list(_each.options), label="answer")
            if _each.options
            else mo.ui.text(placeholder=_each.form.replace("`", ""), label="answer", full_width=True)
            for _each in EXERCISES
        }
    )
    return (answers,)


@app.cell(hide_code=True)
def _(answers):
    feedback = {_each.name: _each.feedback(answers.value[_each.name] or "") for _each in EXERCISES}
    solved = [_name for _name, _said in feedback.items() if _said == ""]
    return feedback, solved


@app.cell(hide_code=True)
def _(solved):
    mo.hstack(
        [
            mo.stat(f"{len(solved)} of {len(EXERCISES)}", label="solved", bordered=True),
            mo.md("**All of them. Well done.**" if len(solved) == len(EXERCISES) else ""),
        ],
        justify="start",
        align="center",
    )
    return


@app.cell(hide_code=True)
def _(answers, feedback):
    def _shown(number, exercise):
        said = feedback[exercise.name]
        box = (
            mo.md("")
            if said is None
            else mo.callout(mo.md("**Right.**"), kind="success")
            if said == ""
            else mo.callout(mo.md(said), kind="warn")
        )
        return mo.vstack(
            [
                mo.md(f"## {number}. {exercise.title}\n\n*Lesson {exercise.lesson}.* {exercise.question}"),
                answers[exercise.name],
                box,
                mo.accordion(
                    {
                        "Hint": mo.md(exercise.hint),
                        "Solution": mo.md(f"`{exercise.solution}`\n\n{exercise.reason}"),
                    }
                ),
            ]
        )

    mo.vstack([_shown(_number, _each) for _number, _each in enumerate(EXERCISES, 1)], gap=2)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## And then?

    Exercise 12 has no solution here. Take a bound from a paper that you like, write it as a `Claim`, give it two
    mutants and a strategy of cases, and let the engine decide it (lesson 5, section 6). If it is refuted: what
    survives?
    """)
    return


if __name__ == "__main__":
    app.run()
